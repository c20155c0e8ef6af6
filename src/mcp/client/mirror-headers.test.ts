import * as fc from "fast-check";
import { expect, test } from "vitest";
import { checkMirroredHeaders } from "../mirrored-headers.ts";
import type { JsonRpcRequest } from "../json-rpc.ts";
import { headerValue, mirrorHeaders } from "./mirror-headers.ts";

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
