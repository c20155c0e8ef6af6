import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { modernParams } from "../../../tests/support/mcp/messages.ts";
import { testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { createMcpServer } from "../server/mcp-server.ts";
import type { JsonRpcRequest } from "./json-rpc.ts";
import { checkMirroredHeaders, headerValue, judgeHeaderMarks, mirrorHeaders } from "./mirrored-headers.ts";
import { textResult } from "./tool.ts";
import type { RequestHeaders } from "../../core/http/request-headers.ts";

const schema = (properties: object) => ({ type: "object", properties });
const marked = (mark: unknown, type: unknown = "string") => ({ type, "x-mcp-header": mark });

test.each([
  ["no marks", schema({ a: { type: "array" } })],
  ["no properties", { type: "object" }],
  [
    "a text, a whole number, a truth value",
    schema({ a: marked("A"), b: marked("B", "integer"), c: marked("C", "boolean") }),
  ],
  ["one that may be null", schema({ a: marked("A", ["string", "null"]) })],
  ["one without a type", schema({ a: { enum: ["x"], "x-mcp-header": "A" } })],
  ["one within another", schema({ a: { type: "object", properties: { b: marked("B") } } })],
  ["an argument that is called like the mark", schema({ "x-mcp-header": { type: "string" } })],
])("fine: %s", (_title, given) => {
  expect(judgeHeaderMarks(given)).toBeUndefined();
});

test.each([
  ["empty", schema({ a: marked("") })],
  ["no text", schema({ a: marked(5) })],
  ["with a blank", schema({ a: marked("My Region") })],
  ["with a colon", schema({ a: marked("Region:1") })],
  ["with a line's end", schema({ a: marked("A\r\nB") })],
  ["beyond ASCII", schema({ a: marked("Région") })],
  ["twice", schema({ a: marked("A"), b: marked("A") })],
  ["twice but for the case", schema({ a: marked("A"), b: { type: "object", properties: { c: marked("a") } } })],
  ["on an object", schema({ a: marked("A", "object") })],
  ["on a list", schema({ a: marked("A", "array") })],
  ["on a number with fractions", schema({ a: marked("A", "number") })],
  ["on nothing", schema({ a: marked("A", "null") })],
  ["on nothing in a list", schema({ a: marked("A", ["null"]) })],
])("wrong: %s", (_title, given) => {
  expect(judgeHeaderMarks(given)).toEqual(expect.any(String));
});

const request = (method: string, params: object = {}, version = "2026-07-28"): JsonRpcRequest => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params: { ...params, _meta: { "io.modelcontextprotocol/protocolVersion": version } },
});

test.each([
  ["tools/call", { name: "add" }, "add"],
  ["prompts/get", { name: "greet" }, "greet"],
  ["resources/read", { uri: "file:///a", name: "not this" }, "file:///a"],
  ["tasks/get", { taskId: "t1", name: "not this" }, "t1"],
  ["tools/list", { name: "not this" }, undefined],
  ["tools/call", { name: 5 }, undefined],
])("%s with %j repeats its method and its subject", (method, params, name) => {
  expect(mirrorHeaders(request(method, params))).toEqual({
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name === undefined ? {} : { "mcp-name": name }),
  });
});

test("nothing is repeated of older requests, of notices and of answers", () => {
  expect(mirrorHeaders(request("tools/call", { name: "add" }, "2025-11-25"))).toEqual({});
  expect(mirrorHeaders({ jsonrpc: "2.0", id: 1, method: "tools/list" })).toEqual({});
  expect(mirrorHeaders({ jsonrpc: "2.0", method: "notifications/cancelled" })).toEqual({});
  expect(mirrorHeaders({ jsonrpc: "2.0", id: 1, result: {} })).toEqual({});
});

test.each([
  ["plain text", "plain text"],
  ["a\tb", "a\tb"],
  [" edge", "=?base64?IGVkZ2U=?="],
  ["edge ", "=?base64?ZWRnZSA=?="],
  ["", "=?base64??="],
  ["ü", "=?base64?w7w=?="],
  ["a\nb", "=?base64?YQpi?="],
  ["=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="],
])("%j travels as %j", (value, header) => {
  expect(headerValue(value)).toBe(header);
});

test("whatever a tool is called, our own server reads the same name from the header", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (name) => {
      const message = request("tools/call", { name });
      expect(() => checkMirroredHeaders(mirrorHeaders(message), message)).not.toThrow();
    }),
  );
});

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

async function send(method: string, params: object, headers: RequestHeaders) {
  const message: JsonRpcRequest = {
    jsonrpc: "2.0",
    id: 1,
    method,
    params: modernParams(params) as Record<string, unknown>,
  };
  const route = { send: () => {}, headers: { "mcp-protocol-version": "2026-07-28", ...headers } };
  return server.handle(message, server.openPeer({ principal: "anna", twoWay: false }), route);
}

const call = (args: object, headers: RequestHeaders = {}) =>
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
