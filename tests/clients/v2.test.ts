import { afterAll, beforeAll, describe } from "vitest";
import { fixtureProgram, startFixture } from "../../conformance/start-fixture.ts";
import type { RunningFixture } from "../../conformance/start-fixture.ts";
import { testClient } from "./client.contract.ts";
import { openV2Client } from "../support/clients/v2-client.ts";

const modes = [
  { title: "with default settings", mode: "legacy", version: "2025-11-25" },
  { title: "negotiating the version", mode: "auto", version: "2026-07-28" },
  { title: "pinned to 2026-07-28", mode: { pin: "2026-07-28" }, version: "2026-07-28" },
] as const;

describe.each(modes)("the client of SDK v2, $title, over stdio", ({ mode, version }) => {
  testClient(version, () => openV2Client({ command: process.execPath, args: [fixtureProgram] }, mode));
});

describe.each(modes)("the client of SDK v2, $title, over HTTP", ({ mode, version }) => {
  let fixture: RunningFixture;
  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());
  testClient(version, () => openV2Client({ url: fixture.url }, mode));
});
