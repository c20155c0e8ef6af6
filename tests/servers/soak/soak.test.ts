import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const main = path.join(import.meta.dirname, "main.ts");

test(
  "a hundred connects and disconnects leave no process, no descriptor and no memory",
  { timeout: 120_000 },
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", main, "100"]);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ rounds: 100, isClean: true });
  },
);
