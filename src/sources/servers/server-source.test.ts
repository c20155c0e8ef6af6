import { expect, test } from "vitest";
import type { Tool } from "../../mcp/messages/tool.ts";
import type { ServerDefinition } from "./definition.ts";
import { showTools } from "./server-source.ts";

const tool = (name: string, more: object = {}): Tool => ({ name, inputSchema: { type: "object" }, ...more });
const asTheyAre: ServerDefinition["tools"] = { include: ["*"], exclude: [], rename: {}, describe: {} };
const show = (tools: readonly Tool[], rules: ServerDefinition["tools"]) =>
  showTools(tools, { name: "files", prefix: "fs", tools: rules });
const all = [tool("read_file"), tool("write_file"), tool("search")];

const names = (rules: Partial<ServerDefinition["tools"]>) =>
  show(all, { ...asTheyAre, ...rules }).tools.map(({ name }) => name);

test("without rules every tool is shown unchanged, as the same object", () => {
  const shown = show(all, asTheyAre);
  expect(shown.tools).toEqual(all);
  expect(shown.tools[0]).toBe(all[0]);
  expect(shown.find("search")).toBe(all[2]);
  expect(shown.find("nothing")).toBeUndefined();
});

test("only what is included and not excluded is shown, or can be found", () => {
  expect(names({ include: ["*_file"] })).toEqual(["read_file", "write_file"]);
  expect(names({ include: [] })).toEqual(["read_file", "write_file", "search"]);
  expect(names({ exclude: ["write_*"] })).toEqual(["read_file", "search"]);
  expect(names({ include: ["read_file", "write_file"], exclude: ["w*"] })).toEqual(["read_file"]);
  expect(show(all, { ...asTheyAre, exclude: ["search"] }).find("search")).toBeUndefined();
});

test("a renamed tool is found only under its new name, and leads to the server's own", () => {
  const shown = show(all, { ...asTheyAre, rename: { search: "find" } });
  expect(shown.tools.map(({ name }) => name)).toEqual(["read_file", "write_file", "find"]);
  expect(shown.find("find")).toBe(all[2]);
  expect(shown.find("search")).toBeUndefined();
});

test("rules go by the server's own names, and built-in property names are not rules", () => {
  expect(names({ rename: { search: "read_it" }, exclude: ["read_*"] })).toEqual(["write_file", "read_it"]);
  const odd = show([tool("constructor"), tool("toString")], asTheyAre);
  expect(odd.tools.map(({ name }) => name)).toEqual(["constructor", "toString"]);
});

test("a description is replaced and nothing else", () => {
  const full = tool("search", { description: "old", title: "Search", annotations: { readOnlyHint: true } });
  const shown = show([full], { ...asTheyAre, describe: { search: "new" } });
  expect(shown.tools).toEqual([{ ...full, description: "new" }]);
});

test("of two tools with the same name the first one counts", () => {
  const twice = show([tool("a", { title: "1" }), tool("a", { title: "2" })], asTheyAre);
  expect(twice).toMatchObject({ tools: [{ title: "1" }], repeated: ["a"] });
  const taken = show(all, { ...asTheyAre, rename: { search: "read_file" } });
  expect(taken.tools.map(({ name }) => name)).toEqual(["read_file", "write_file"]);
  expect(taken.find("read_file")).toBe(all[0]);
});

test("a full name means the tool, too, and a pattern without __ goes by the server's own names only", () => {
  for (const pattern of ["fs__search", "files__search", "*__search", "s*"])
    expect(names({ exclude: [pattern] })).toEqual(["read_file", "write_file"]);
  expect(names({ exclude: ["f*"] })).toHaveLength(3);
  expect(names({ include: ["fs__search"] })).toEqual(["search"]);
  expect(names({ rename: { fs__search: "find" } })).toEqual(["read_file", "write_file", "find"]);
  expect(show(all, { ...asTheyAre, describe: { fs__search: "new" } }).tools[2]).toMatchObject({ description: "new" });
});
