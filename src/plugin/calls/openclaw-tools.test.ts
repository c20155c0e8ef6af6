import { expect, test } from "vitest";
import type { CatalogTool } from "../../catalog/source.ts";
import { findOpenClawTool } from "./openclaw-tools.ts";

const published = [
  { server: "web", entry: "web" },
  { server: "web.two", entry: "web__two" },
];
const tools: Readonly<Record<string, readonly string[]>> = { web: ["search.deep", "two__x"], "web.two": ["x"] };
const toolsOf = (server: string) =>
  (tools[server] ?? []).map((name) => ({ name, tool: { name }, definition: { name } }) as unknown as CatalogTool);
const find = (name: string) => {
  const found = findOpenClawTool(name, published, toolsOf);
  return found && [found.server, found.tool?.tool.name];
};

test("a tool is found by the name that OpenClaw makes of it, whatever its case", () => {
  expect(find("web__search-deep")).toEqual(["web", "search.deep"]);
  expect(find("WEB__Search-Deep")).toEqual(["web", "search.deep"]);
});

test("of two keys that fit, the longer one is meant", () => {
  expect(find("web__two__x")).toEqual(["web.two", "x"]);
});

test("what OpenClaw adds to a server belongs to it without being a tool of its own", () => {
  expect(find("web__resources_list")).toEqual(["web", undefined]);
  expect(find("exec")).toBeUndefined();
});
