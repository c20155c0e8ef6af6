import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createToolSearch } from "../../src/catalog/search/tool-search.ts";
import { silentLog } from "../../src/core/log.ts";
import type { TokenMatch } from "../../src/doors/mcp/gate.ts";
import { type HttpDoor, openHttpDoor } from "../../src/doors/mcp/http-door.ts";
import { createSurfaces } from "../../src/doors/mcp/surface/surfaces.ts";
import { modernParams } from "../support/mcp/messages.ts";
import { startGuard } from "../support/start-guard.ts";
import { testSource, testTool } from "../support/test-source.ts";

/** The token of each caller is its name. */
const tokens = new Map<string, TokenMatch>([
  ["main", { name: "main" }],
  ["relay-key", { name: "main", key: "relay" }],
  ["control-key", { name: "main", key: "control" }],
  ["full", { name: "full", surface: "full" }],
  ["search", { name: "search", surface: "search" }],
  ["one", { name: "one", view: "git" }],
  ["two", { name: "two", view: ["git", "notes"] }],
  ["two-search", { name: "two-search", view: ["notes", "git"], surface: "search" }],
]);
/** 70 tools of `git`, one of `notes`, one of `agent`. */
let door: HttpDoor;
let stop: () => Promise<void>;

beforeAll(async () => {
  const tools = Array.from({ length: 70 }, (_, index) => testTool(`tool${index}`));
  const guarded = await startGuard({ tools });
  const { catalog, guard } = guarded;
  catalog.add(testSource({ id: "notes", prefix: "notes", tools: ["add"] }));
  catalog.add(testSource({ id: "agent", kind: "agent", tools: ["order_openclaw"] }));
  const openSearch = () => Promise.resolve(createToolSearch({ tools: () => catalog.tools() }));
  door = await openHttpDoor({
    host: "127.0.0.1",
    port: 0,
    catalog,
    guard,
    tokens: { match: (presented) => tokens.get(presented) },
    info: { name: "clawport", version: "1" },
    log: silentLog,
    surfaces: createSurfaces({ setting: "auto", always: ["order_*"], log: silentLog, openSearch }),
  });
  stop = async () => {
    await door.close(100);
    await guarded[Symbol.asyncDispose]();
  };
});
afterAll(() => stop());

const search = 3;
const everything = 72;

/** How many tools a client gets: with which token, at which address, under which name. */
const rows: readonly (readonly [token: string, path: string, client: string | undefined, tools: number])[] = [
  ["main", "/", "cursor", search + 1],
  ["main", "/mcp", "cursor", search + 1],
  ["main", "/mcp", "claude-code", everything],
  ["main", "/mcp", undefined, everything],
  ["main", "/mcp?surface=full", "cursor", everything],
  ["main", "/mcp?surface=search", "claude-code", search + 1],
  ["main", "/?surface=full", "cursor", everything],
  ["main", "/?surface=search", "claude-code", search + 1],
  ["main", "/mcp?without=agent", "cursor", search],
  ["main", "/mcp?without=agent&surface=full", "cursor", everything - 1],
  ["main", "/mcp/git", "cursor", 70],
  ["relay-key", "/mcp?relay=stdio", "cursor", everything - 1],
  ["control-key", "/mcp?relay=cli", "cursor", everything],
  ["full", "/mcp", "cursor", everything],
  ["full", "/mcp?surface=search", "cursor", search + 1],
  ["search", "/", "claude-code", search + 1],
  ["search", "/mcp/git", "claude-code", 70],
  ["search", "/mcp/notes", "claude-code", 1],
  ["one", "/mcp", "cursor", 70],
  ["two", "/mcp", "cursor", search],
  ["two", "/mcp", "claude-code", 71],
  ["two-search", "/mcp", "claude-code", search],
];

describe.each(["legacy", "modern"] as const)("%s", (era) => {
  test.each(rows)("%s at %s as %s gets %i tools", async (token, path, client, tools) => {
    expect(await toolNames(era, token, path, client)).toHaveLength(tools);
  });
});

test.each(["/mcp?surface=nonsense", "/mcp/?surface=", "/?surface=Full", "/mcp?without=agent&surface=full,search"])(
  "%s is refused, and the answer names the surfaces",
  async (path) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const headers = { authorization: "Bearer main", "content-type": "application/json" };
    const response = await fetch(new URL(path, door.address), { method: "POST", headers, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        code: -32602,
        message: expect.stringMatching(/^There is no surface ".*"\. Use auto, full or search in/),
      },
    });
  },
);

test("what one token may not see, it does not find", async () => {
  const found = async (token: string) =>
    JSON.stringify(await callOver(token, "search_tools", { query: "place an order with openclaw" }));
  expect(await found("search")).toContain("order_openclaw");
  expect(await found("two-search")).not.toContain("order_openclaw");
});

async function toolNames(era: "legacy" | "modern", token: string, path: string, client: string | undefined) {
  const clientInfo = client === undefined ? undefined : { name: client, version: "1" };
  if (era === "modern") {
    const meta = clientInfo === undefined ? {} : { "io.modelcontextprotocol/clientInfo": clientInfo };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
    return (await post(token, path, "tools/list", modernParams({}, { meta }), headers)).result.tools;
  }
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const { session } = await post(token, path, "initialize", params);
  return (await post(token, path, "tools/list", {}, { "mcp-session-id": session })).result.tools;
}

async function callOver(token: string, name: string, args: object) {
  return (await post(token, "/mcp", "tools/call", { name, arguments: args })).result;
}

async function post(token: string, path: string, method: string, params: object, headers: Record<string, string> = {}) {
  const response = await fetch(new URL(path, door.address), {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result } = (await response.json()) as { result: { tools: unknown[] } };
  return { result, session: response.headers.get("mcp-session-id") ?? "" };
}
