import { describe, expect, test } from "vitest";
import { modernParams } from "../../tests/support/mcp/messages.ts";
import { testOffer } from "../../tests/support/mcp/test-offer.ts";
import type { JsonRpcRequest } from "./json-rpc.ts";
import type { Headers } from "./mirrored-headers.ts";
import { createMcpServer } from "./server.ts";
import { textResult } from "./tool.ts";

const inputSchema = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    count: { type: "integer", "x-mcp-header": "Count" },
    dry: { type: "boolean", "x-mcp-header": "Dry" },
    deep: { type: "object", properties: { er: { type: "string", "x-mcp-header": "Deeper" } } },
    list: { type: "array", items: { type: "object", properties: { no: { type: "string", "x-mcp-header": "No" } } } },
    plain: { type: "string" },
  },
};
const odd = "grüße\u0000";
const server = createMcpServer(
  testOffer({
    tools: { call: () => textResult("called"), [odd]: () => textResult("odd") },
    definitions: { call: { inputSchema } },
  }),
);

const base64 = (text: string | Buffer) => `=?base64?${Buffer.from(text).toString("base64")}?=`;

async function send(method: string, params: object, headers: Headers) {
  const message: JsonRpcRequest = {
    jsonrpc: "2.0",
    id: 1,
    method,
    params: modernParams(params) as Record<string, unknown>,
  };
  const route = { send: () => {}, headers: { "mcp-protocol-version": "2026-07-28", ...headers } };
  return server.handle(message, server.openPeer({ principal: "anna", twoWay: false }), route);
}

const call = (args: object, headers: Headers = {}) =>
  send("tools/call", { name: "call", arguments: args }, { "mcp-method": "tools/call", "mcp-name": "call", ...headers });

const fine = { result: { content: [{ text: "called" }] } };
const mismatch = (name: string) => ({ error: { code: -32020, message: expect.stringContaining(name) } });

describe("the headers every modern request has", () => {
  test.each([undefined, "2025-11-25", "2026-07-29"])("a version of %j has to be that of the body", async (version) => {
    expect(await call({}, { "mcp-protocol-version": version })).toMatchObject(mismatch("MCP-Protocol-Version"));
  });

  test.each([undefined, "tools/list", "Tools/Call", ["tools/call"]])(
    "the method can't be %j instead",
    async (method) => {
      expect(await call({}, { "mcp-method": method })).toMatchObject(mismatch("Mcp-Method"));
    },
  );

  test.each([undefined, "cal", "Call", "", base64("cal")])("the name can't be %j instead", async (name) => {
    expect(await call({}, { "mcp-name": name })).toMatchObject(mismatch("Mcp-Name"));
  });

  test("a name may be encoded, and has to be where it is no plain text", async () => {
    expect(await call({}, { "mcp-name": base64("call") })).toMatchObject(fine);
    const headers = { "mcp-method": "tools/call" };
    expect(await send("tools/call", { name: odd }, { ...headers, "mcp-name": base64(odd) })).toHaveProperty("result");
    expect(await send("tools/call", { name: odd }, { ...headers, "mcp-name": odd })).toMatchObject(
      mismatch("Mcp-Name"),
    );
  });

  test.each([
    ["resources/read", { uri: "test://one" }, "test://one"],
    ["prompts/get", { name: "greet", arguments: { who: "Eve" } }, "greet"],
  ])("%s has the name of its subject", async (method, params, name) => {
    expect(await send(method, params, { "mcp-method": method, "mcp-name": name })).toHaveProperty("result");
    expect(await send(method, params, { "mcp-method": method })).toMatchObject(mismatch("Mcp-Name"));
  });

  test.each(["tasks/get", "tasks/update", "tasks/cancel"])("%s has the name of its task", async (method) => {
    expect(await send(method, { taskId: "t" }, { "mcp-method": method, "mcp-name": "u" })).toMatchObject(
      mismatch("Mcp-Name"),
    );
    expect(await send(method, { taskId: "t" }, { "mcp-method": method, "mcp-name": "t" })).toMatchObject({
      error: { code: -32021 },
    });
  });

  test("a list has no name", async () => {
    expect(await send("tools/list", {}, { "mcp-method": "tools/list" })).toHaveProperty("result");
  });

  test("without headers there is nothing to compare", async () => {
    const message: JsonRpcRequest = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: modernParams({ name: "call", arguments: { region: "eu" } }) as Record<string, unknown>,
    };
    expect(
      await server.handle(message, server.openPeer({ principal: "a", twoWay: true }), { send: () => {} }),
    ).toMatchObject(fine);
  });
});

describe("the headers of marked arguments", () => {
  test.each([
    [{ region: "eu" }, { "mcp-param-region": "eu" }],
    [{ region: "eu" }, { "mcp-param-region": base64("eu") }],
    [{ region: "Hello, 世界" }, { "mcp-param-region": "=?base64?SGVsbG8sIOS4lueVjA==?=" }],
    [{ region: " padded " }, { "mcp-param-region": "=?base64?IHBhZGRlZCA=?=" }],
    [{ region: "=?base64?literal?=" }, { "mcp-param-region": "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=" }],
    [{ region: "" }, { "mcp-param-region": "" }],
    [{ count: 42 }, { "mcp-param-count": "42" }],
    [{ count: 42 }, { "mcp-param-count": "42.0" }],
    [{ count: -7 }, { "mcp-param-count": "-7" }],
    [{ dry: true }, { "mcp-param-dry": "true" }],
    [{ deep: { er: "x" } }, { "mcp-param-deeper": "x" }],
    [{}, {}],
    [{ plain: "y", list: [{ no: "z" }] }, { "mcp-param-unknown": "w" }],
  ])("%j agrees with %j", async (args, headers) => {
    expect(await call(args, headers)).toMatchObject(fine);
  });

  test.each([
    [{ region: "eu" }, {}],
    [{ region: "eu" }, { "mcp-param-region": "us" }],
    [{ region: "eu" }, { "mcp-param-region": "EU" }],
    [{ region: "eu" }, { "mcp-param-region": "=?base64?!!?=" }],
    [{ region: "eu" }, { "mcp-param-region": "=?base64?ZXU?=" }],
    [{ region: "\u{fffd}" }, { "mcp-param-region": base64(Buffer.from([0xff])) }],
    [{ region: "gr\u00fc\u00dfe" }, { "mcp-param-region": "gr\u00fc\u00dfe" }],
    [{}, { "mcp-param-region": "eu" }],
    [{ count: 42 }, { "mcp-param-count": "0x2a" }],
    [{ count: 42 }, { "mcp-param-count": "" }],
    [{ dry: true }, { "mcp-param-dry": "True" }],
    [{ deep: { er: "x" } }, { "mcp-param-deeper": "y" }],
  ])("%j does not agree with %j", async (args, headers) => {
    expect(await call(args, headers)).toMatchObject(mismatch("Mcp-Param-"));
  });

  test("null counts as not there", async () => {
    const nothing = await call({ region: null });
    expect(nothing).toMatchObject({ result: { isError: true } });
    expect(await call({ region: null }, { "mcp-param-region": "null" })).toMatchObject(mismatch("Mcp-Param-Region"));
  });
});
