import { execFileSync } from "node:child_process";
import { mkdtempDisposableSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const body = "for (const one of [1, 2, 3]) sum += one;".repeat(20);
const part = `(function (exports, require) {
  exports.small = () => { const { createHash } = require("node:crypto"); return typeof createHash; };
  exports.large = () => { let sum = 0; ${body} return sum; };
})`;

/** Runs a process that loads a part and calls some of its functions. */
function run(folder: string, calls: string, cache = join(folder, "cache")): string {
  const module = JSON.stringify(join(import.meta.dirname, "compiled-parts.ts"));
  const code = `
    import { openCompiledParts } from ${module};
    const load = openCompiledParts(${JSON.stringify(folder)}, ${JSON.stringify(cache)}, () => "from a package");
    const part = load("./part-0123abcd.cjs");
    console.log(${calls});`;
  return execFileSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" }).trim();
}

function openFolder() {
  const folder = mkdtempDisposableSync(join(tmpdir(), "parts-"));
  writeFileSync(join(folder.path, "part-0123abcd.cjs"), part);
  writeFileSync(join(folder.path, "entry.cjs"), part);
  return folder;
}

test("the functions that a process called are compiled for the next one, and none is lost again", () => {
  using folder = openFolder();
  const stored = (): number => statSync(join(folder.path, "cache", "part-0123abcd.cjs")).size;
  expect(run(folder.path, "part.small()")).toBe("function");
  const small = stored();
  expect(run(folder.path, "part.large()")).toBe("120");
  const both = stored();
  expect(both).toBeGreaterThan(small);
  expect(run(folder.path, "1")).toBe("1");
  expect(stored()).toBe(both);
});

test("a part whose name does not tell its content is not stored", () => {
  using folder = openFolder();
  expect(run(folder.path, 'load("./entry.cjs").large()')).toBe("120");
  expect(readdirSync(join(folder.path, "cache"))).toEqual(["part-0123abcd.cjs"]);
});

test("code that V8 does not take is replaced, and a folder that can't be written to does no harm", () => {
  using folder = openFolder();
  run(folder.path, "part.small()");
  const file = join(folder.path, "cache", "part-0123abcd.cjs");
  const { size } = statSync(file);
  writeFileSync(file, "no code at all");
  expect(run(folder.path, "part.small()")).toBe("function");
  expect(statSync(file).size).toBe(size);
  expect(run(folder.path, "part.large()", join(file, "below-a-file"))).toBe("120");
});

test("what is neither a part nor a module of Node comes from its package", () => {
  using folder = openFolder();
  expect(run(folder.path, 'load("some-package")')).toBe("from a package");
  expect(run(folder.path, 'load("node:path").sep')).toBe("/");
});
