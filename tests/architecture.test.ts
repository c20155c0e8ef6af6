import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { layers } from "../src/doors/mcp/door-offer.ts";

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

test("no two exported things share a name", () => {
  const exported = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;
  const places = files
    // Every command is exported as `command`.
    .filter((file) => !file.startsWith("src/cli/commands/"))
    .flatMap((file) =>
      [...new Set(Array.from(read(file).matchAll(exported), ([, name]) => name!))].map((name) => ({ name, file })),
    );
  const shared = [...Map.groupBy(places, ({ name }) => name)].filter(([, those]) => those.length > 1);
  expect(shared.map(([name, those]) => [name, ...those.map(({ file }) => file)])).toEqual([]);
});

test("ARCHITECTURE.md lists the layers of a door in the order in which a call passes them", () => {
  const [, table = ""] = read("ARCHITECTURE.md").split("| layer | what it adds | where |");
  const [rows = ""] = table.split("\n\n");
  const named = [...rows.matchAll(/^ *\| `(\w+)` \|.*\| `([^`]+)` \|$/gm)];
  expect(named.map(([, name]) => name)).toEqual([...Object.keys(layers), "view"]);
  expect(named.filter(([, , file]) => !existsSync(`src/${file}`))).toEqual([]);
});
