import { describe, expect, test } from "vitest";
import { isFault } from "../../core/fault.ts";
import { AnswerFault, idOf, isNotification, isRequest, parseMessage, RpcFault, rpcErrorOf } from "./json-rpc.ts";

function refusal(value: unknown): { code: string; message: string } {
  try {
    parseMessage(value);
  } catch (error) {
    if (isFault(error)) return { code: error.code, message: error.message };
  }
  throw new Error("It was taken.");
}

const request = { jsonrpc: "2.0", id: 1, method: "ping" };

describe("what is a message", () => {
  test("a method with an id is a request, without one a notification", () => {
    expect(isRequest(parseMessage(request))).toBe(true);
    expect(isNotification(parseMessage({ jsonrpc: "2.0", method: "ping" }))).toBe(true);
  });

  test("an id with a result or an error is a response", () => {
    for (const rest of [{ result: {} }, { error: { code: 1, message: "no" } }]) {
      const message = parseMessage({ jsonrpc: "2.0", id: "a", ...rest });
      expect([isRequest(message), isNotification(message)]).toEqual([false, false]);
    }
  });

  test("an error that is null beside a result is left out, as JSON-RPC 1.0 had it", () => {
    const answer = { jsonrpc: "2.0", id: 1, result: {} };
    expect(parseMessage({ ...answer, error: null })).toEqual(answer);
    expect(refusal({ ...answer, id: null, error: null }).message).toContain('"id"');
  });

  test("an error without a readable id may carry null instead", () => {
    expect(parseMessage({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "?" } })).toMatchObject({
      id: null,
    });
  });

  test.each([0, -1, 1.5, 2 ** 60, "", "x".repeat(1024), "null"])("the id %j is kept as it came", (id) => {
    expect(parseMessage({ ...request, id })).toMatchObject({ id });
    expect(idOf({ ...request, id })).toBe(id);
  });

  test.each(["toString", "__proto__", "constructor"])("a method may be called %s", (method) => {
    expect(parseMessage(JSON.parse(JSON.stringify({ ...request, method })))).toMatchObject({ method });
  });
});

describe("what is no message", () => {
  test.each([null, 1, "text", true, [], [request]])("%j is not one object", (value) => {
    expect(refusal(value)).toEqual({ code: "bad-request", message: "Send one JSON-RPC 2.0 object." });
  });

  test.each([undefined, "1.0", 2, "2.0 "])("the version %j is not 2.0", (jsonrpc) => {
    expect(refusal({ ...request, jsonrpc }).message).toContain('"jsonrpc"');
  });

  test.each([null, true, {}, [1], "x".repeat(1025), Number.POSITIVE_INFINITY, Number.NaN])("%j is no id", (id) => {
    expect(refusal({ ...request, id })).toMatchObject({ code: "bad-request" });
    expect(idOf({ ...request, id })).toBeNull();
  });

  test("a request can't have the id null, even with an error beside its method", () => {
    expect(refusal({ ...request, id: null, error: { code: 1, message: "odd" } }).message).toContain('"id"');
  });

  test.each([1, null, {}])("%j is no method", (method) => {
    expect(refusal({ ...request, method }).message).toContain('"method"');
  });

  test.each([null, [], "text", 7])("params can't be %j", (params) => {
    expect(refusal({ ...request, params })).toMatchObject({ code: "bad-params" });
  });

  test("an id alone says nothing", () => {
    expect(refusal({ jsonrpc: "2.0", id: 1 }).message).toContain("method");
    expect(refusal({ jsonrpc: "2.0", result: {} }).message).toContain("method");
  });

  test("what has no object shape has no id", () => {
    expect([idOf(null), idOf(3), idOf("id")]).toEqual([null, null, null]);
  });
});

describe("the error of another server", () => {
  const passedOn = (code: number, era: "legacy" | "modern", data?: unknown) =>
    rpcErrorOf(new RpcFault({ code, message: "no", ...(data === undefined ? {} : { data }) }), era);

  test.each([-32700, -32603, -32602, -32601, -32000, -32001, -32020, -32021, -32022, -1, 7])(
    "with the code %j is passed on unchanged in both eras",
    (code) => {
      for (const era of ["legacy", "modern"] as const)
        expect(passedOn(code, era, { a: 1 })).toEqual({ code, message: "no", data: { a: 1 } });
    },
  );

  test("has no code that 2026-07-28 forbids, and keeps it for older clients", () => {
    expect(passedOn(-32002, "modern", { uri: "a:b" })).toEqual({ code: -32602, message: "no", data: { uri: "a:b" } });
    expect(passedOn(-32042, "modern", { elicitations: [{}] })).toEqual({ code: -32603, message: "no" });
    for (const code of [-32023, -32050, -32099]) expect(passedOn(code, "modern").code).toBe(-32603);
    for (const code of [-32002, -32042, -32023, -32099]) expect(passedOn(code, "legacy").code).toBe(code);
  });
});

test("the error that a client answers with keeps its code, and its message has an end", () => {
  const { error, code, message } = new AnswerFault({ code: -1, message: `x${"y".repeat(5000)}`, data: 3 });
  expect(error).toMatchObject({ code: -1, message: expect.stringMatching(/^xy{1999}$/), data: 3 });
  expect(code).toBe("unanswered");
  expect(message.length).toBeLessThan(400);
  for (const odd of [null, "no", { code: "1" }, { code: 1.5, message: 7 }])
    expect(new AnswerFault(odd).error).toEqual({ code: -32603, message: "The client gave no reason." });
});
