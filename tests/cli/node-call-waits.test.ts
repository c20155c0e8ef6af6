import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Asker } from "../../src/catalog/guard/askers.ts";
import { startApprovalHub } from "./approval-hub.ts";

const person: Asker = {
  id: "person",
  kind: "desktop",
  available: () => true,
  async ask() {
    await sleep(4000);
    return "once";
  },
};

test("node call says that it waits for consent, and where to answer", { timeout: 60_000 }, async () => {
  const machine = { enabled: true, location: { static: { lat: 48.2, lon: 2 } } };
  await using hub = await startApprovalHub({ askers: [person], more: { machine } });
  const { exit, out, err } = await hub.run("node", "call", "location.get");
  expect([exit, out]).toEqual([0, expect.stringContaining("48.2")]);
  expect(err).toMatch(/^Waiting for your consent to location\.get\. .* or run `clawport approve \d+`\.$/m);
});
