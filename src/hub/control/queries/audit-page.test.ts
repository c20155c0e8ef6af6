import { appendFile, mkdir, mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { formatAuditLine } from "../../../catalog/audit/audit-line.ts";
import type { FolderContext } from "../contexts.ts";
import { readAuditPage } from "./audit-page.ts";

async function openFolder() {
  const path = await mkdtemp(join(tmpdir(), "audit-page-"));
  const home = { path, file: (...parts: string[]) => join(path, ...parts) };
  const file = home.file("audit", "calls.jsonl");
  await mkdir(dirname(file));
  return {
    file,
    context: { home } as unknown as FolderContext,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

function lineOf(tool: string): string {
  return formatAuditLine({
    at: Date.UTC(2026, 0, 2),
    caller: { door: "mcp-http" },
    source: "git",
    tool,
    verdict: "allow",
    why: "preset default",
    ms: 1,
    outcome: "ok",
    sizeIn: 2,
    sizeOut: 20,
  });
}

test("the latest lines come oldest first, from all files, and what is written later follows them", async () => {
  await using folder = await openFolder();
  const { context, file } = folder;
  await appendFile(`${file}.1`, ["a", "b", "c"].map(lineOf).join(""));
  await appendFile(file, `${lineOf("d")}not a line\n${lineOf("e")}{"cut`);
  const toolsOf = (page: { readonly lines: readonly { readonly tool: string }[] }) =>
    page.lines.map(({ tool }) => tool).join("");
  const page = await readAuditPage(context, { limit: 3 });
  expect(toolsOf(page)).toBe("cde");
  expect(toolsOf(await readAuditPage(context, { limit: 100 }))).toBe("abcde");
  expect(toolsOf(await readAuditPage(context, { tool: "b" }))).toBe("b");
  await appendFile(file, `off\n${lineOf("f")}`);
  expect(toolsOf(await readAuditPage(context, { after: page.next }))).toBe("f");
});

test("only the end of a large file is read for the latest lines", async () => {
  await using folder = await openFolder();
  const { context, file } = folder;
  // A hole of 1 GB: to read through it would take minutes.
  await appendFile(file, "");
  await truncate(file, 2 ** 30);
  await appendFile(file, `\n${["a", "b", "c"].map(lineOf).join("")}`);
  const { lines } = await readAuditPage(context, { limit: 2 });
  expect(lines.map(({ tool }) => tool)).toEqual(["b", "c"]);
});
