import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";

/** Every source file of the product, without its tests. */
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "src/*.ts"], {
  encoding: "utf8",
})
  .trim()
  .split("\n")
  .filter((file) => existsSync(file) && !/\.(?:test|contract)\.ts$/.test(file));
const read = (file: string): string => readFileSync(file, "utf8");
const linesOf = (file: string): number => read(file).split("\n").length - 1;

test("no room holds more files than can be surveyed", () => {
  const rooms = Map.groupBy(files, dirname);
  // One file a command: there are as many as there are commands.
  rooms.delete("src/cli/commands");
  const crowded = [...rooms].filter(([, inside]) => inside.length > 22).map(([room]) => room);
  expect(crowded).toEqual([]);
});

test("no file is longer than one idea needs, and few are shorter than one is worth", () => {
  expect(files.filter((file) => linesOf(file) > 400)).toEqual([]);
  const small = files.filter((file) => linesOf(file) <= 20);
  expect(small.length / files.length).toBeLessThanOrEqual(0.1);
});

test("the page of the console keeps to the same bounds, and throws only faults", () => {
  const page = execFileSync("git", ["ls-files", "console/src/*.ts", "console/src/*.tsx"], { encoding: "utf8" })
    .trim()
    .split("\n")
    .filter((file) => existsSync(file));
  expect(page.length).toBeGreaterThan(50);
  expect(page.filter((file) => linesOf(file) > 400)).toEqual([]);
  expect(page.filter((file) => /throw new Error\b/.test(read(file)))).toEqual([]);
  // Everything from a server is text.
  expect(page.filter((file) => /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML/.test(read(file)))).toEqual([]);
});

test("nothing but the guard calls a source", () => {
  // A relay hands calls on to a hub, whose guard judges them. Sources call their own parts.
  const mayCall = /^src\/(?:catalog\/guard\/|sources\/|mcp\/|hub\/relay\.ts)/;
  const call = /\bsource\??\.(?:call|readResource|watchResource|getPrompt|complete)\b\s*\??\.?\(/;
  const others = files.filter((file) => !mayCall.test(file) && call.test(read(file)));
  expect(others).toEqual([]);
});
