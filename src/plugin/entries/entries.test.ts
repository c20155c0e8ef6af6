import { expect, test } from "vitest";
import type { OpenClawConfig } from "../openclaw-api.ts";
import { applyPlan, nameEntries, needsEdit, planEntries } from "./entries.ts";

const access = { port: 8765, token: "secret" };
const nothingHidden = () => false;
const published = [
  { server: "web", entry: "web" },
  { server: "notes", entry: "notes" },
];

test("a key is the prefix of the tools, made fit for OpenClaw, and no two are the same", () => {
  const long = `x${"y".repeat(40)}`;
  const servers = { web: {}, "a.b": {}, "9lives": {}, tavily: { toolPrefix: "search" }, search: {}, [long]: {} };
  expect(nameEntries(servers)).toEqual([
    { server: "web", entry: "web" },
    { server: "a.b", entry: "a-b" },
    { server: "9lives", entry: "mcp-9lives" },
    { server: "tavily", entry: "search" },
    { server: "search", entry: "search-2" },
    { server: long, entry: long.slice(0, 30) },
  ]);
});

test("entries are written once, and only what changed is written again", () => {
  const config: OpenClawConfig = {};
  applyPlan(config, planEntries(config, published, access, nothingHidden), access, []);
  expect(config.mcp?.servers?.["web"]).toMatchObject({
    url: "http://127.0.0.1:8765/mcp/web",
    headers: { Authorization: "Bearer secret" },
  });
  expect(needsEdit(config, planEntries(config, published, access, nothingHidden), access, [])).toBe(false);
  const moved = { ...access, port: 9000 };
  expect(needsEdit(config, planEntries(config, published, moved, nothingHidden), moved, [])).toBe(true);
});

test("names that every object has are published under a key that OpenClaw takes", () => {
  const config: OpenClawConfig = { mcp: { servers: {} } };
  const named = nameEntries({ constructor: {}, toString: {} });
  expect(named.map(({ entry }) => entry)).toEqual(["mcp-constructor", "mcp-toString"]);
  const plan = planEntries(config, [...named, { server: "plain", entry: "valueOf" }], access, nothingHidden);
  expect(plan.clashes).toEqual([]);
  applyPlan(config, plan, access, []);
  expect(Object.keys(config.mcp?.servers ?? {})).toEqual(["mcp-constructor", "mcp-toString", "valueOf"]);
});

test("an entry that the user wrote is left alone, and reported", () => {
  const own = { url: "https://example.com/mcp" };
  const config: OpenClawConfig = { mcp: { servers: { web: own } } };
  const plan = planEntries(config, published, access, nothingHidden);
  expect(plan.clashes).toEqual([{ server: "web", entry: "web" }]);
  applyPlan(config, plan, access, []);
  expect(config.mcp?.servers?.["web"]).toBe(own);
  applyPlan(config, { entries: {}, denials: [] }, access, []);
  expect(config.mcp?.servers).toEqual({ web: own });
});

test("what an agent may not use is denied to it, and taken back with everything else", () => {
  const config: OpenClawConfig = { agents: { entries: { main: {}, work: { tools: { deny: ["exec"] } } } } };
  const isHidden = (agent: string, server: string) => agent === "work" && server === "notes";
  const plan = planEntries(config, published, access, isHidden);
  applyPlan(config, plan, access, []);
  expect(config.agents?.entries).toEqual({ main: {}, work: { tools: { deny: ["exec", "notes__*"] } } });
  applyPlan(config, { entries: {}, denials: [] }, access, plan.denials);
  expect(config).toEqual({ agents: { entries: { main: {}, work: { tools: { deny: ["exec"] } } } } });
});

test("without agents in OpenClaw's configuration the list for all of them is used", () => {
  const config: OpenClawConfig = {};
  const plan = planEntries(config, published, access, (_, server) => server === "web");
  applyPlan(config, plan, access, []);
  expect(config.tools?.deny).toEqual(["web__*"]);
  applyPlan(config, { entries: {}, denials: [] }, access, plan.denials);
  expect(config.tools).toBeUndefined();
});
