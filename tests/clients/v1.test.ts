import { afterAll, beforeAll, describe } from "vitest";
import { fixtureProgram, startFixture } from "../../conformance/start-fixture.ts";
import type { RunningFixture } from "../../conformance/start-fixture.ts";
import { testClient } from "./client.contract.ts";
import { openV1Client } from "../support/clients/v1-client.ts";

describe("the client of SDK v1 over stdio", () => {
  testClient("2025-11-25", () => openV1Client({ command: process.execPath, args: [fixtureProgram] }));
});

describe("the client of SDK v1 over HTTP", () => {
  let fixture: RunningFixture;
  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());
  testClient("2025-11-25", () => openV1Client({ url: fixture.url }));
});
