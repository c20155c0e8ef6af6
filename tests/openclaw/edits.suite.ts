import { expect, test, vi } from "vitest";
import { runEdits } from "./long/run-edits.ts";

vi.setConfig({ testTimeout: 900_000 });

test("edits and connects in a row on a busy machine leave every tool there, and nothing of ours running", async () => {
  const { refused, missing, complaints, leftRunning } = await runEdits({ changes: 6, busyLoops: 3 });
  const none = { refused: [], missing: [], complaints: [], leftRunning: [] };
  expect({ refused, missing, complaints, leftRunning }).toEqual(none);
});
