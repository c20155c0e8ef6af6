import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAudit } from "../../src/catalog/audit/read-audit.ts";
import { verifyAudit } from "../../src/catalog/audit/verify-audit.ts";
import { runProgram } from "../support/cli/run-shell.ts";
import { program } from "../setup/programs.ts";

const child = program("tests/guard/audit-child.ts");

test("three processes that write and rotate the audit at the same time keep one unbroken chain", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "chain-"));
  const file = join(folder.path, "calls.jsonl");
  const names = ["a", "b", "c"];
  const options = { env: process.env, cwd: folder.path };
  // Late enough for all to have started.
  const start = String(Date.now() + 500);
  await Promise.all(names.map((name) => runProgram(process.execPath, [child, file, name, "1000", start], options)));
  const found = await verifyAudit(file);
  expect(found).toMatchObject({ ok: true, lines: 3000, chained: 3000, breaks: [], cuts: [] });
  const tools = new Set<string>();
  for await (const { tool } of readAudit({ file })) tools.add(tool);
  expect(tools.size).toBe(3000);
});
