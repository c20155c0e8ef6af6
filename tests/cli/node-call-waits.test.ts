import { expect, test } from "vitest";
import type { Asker } from "../../src/catalog/guard/askers.ts";
import { runHere } from "../support/cli/test-home.ts";
import { startApprovalHub } from "./approval-hub.ts";

test("node call says that it waits for consent, and where to answer", async () => {
  const consent = Promise.withResolvers<"once">();
  const person: Asker = { id: "person", kind: "desktop", available: () => true, ask: () => consent.promise };
  const machine = { enabled: true, location: { static: { lat: 48.2, lon: 2 } } };
  await using hub = await startApprovalHub({ askers: [person], more: { machine } });
  let err = "";
  const write = (text: string): void => {
    err += text;
    if (text.includes("Waiting for your consent")) consent.resolve("once");
  };
  const { exit, out } = await runHere(hub.place, ["node", "call", "location.get"], { stderr: { write } });
  expect([exit, out]).toEqual([0, expect.stringContaining("48.2")]);
  expect(err).toMatch(/^Waiting for your consent to location\.get\. .* or run `clawport approve \d+`\.$/m);
});
