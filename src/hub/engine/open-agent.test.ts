import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../core/log.ts";
import { sweepIncoming } from "./open-agent.ts";

test("what a killed process left is removed, what may still be in use stays", async () => {
  const folder = await mkdtemp(join(tmpdir(), "incoming-"));
  try {
    await writeFile(join(folder, "old"), "x");
    await writeFile(join(folder, "new"), "x");
    const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
    await utimes(join(folder, "old"), longAgo, longAgo);
    await sweepIncoming(folder, silentLog);
    expect(await readdir(folder)).toEqual(["new"]);
    await sweepIncoming(join(folder, "missing"), silentLog);
  } finally {
    await rm(folder, { recursive: true });
  }
});
