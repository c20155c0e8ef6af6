import { expect, test } from "vitest";
import { silentLog } from "../../core/log.ts";
import { readMessages } from "../client/read-messages.ts";
import { encodeMessage, type JsonRpcResult } from "./json-rpc.ts";
import { parseLargeResponse } from "./result-text.ts";

/** As only its server would write it: JSON.stringify writes no escape for a slash, and 1e3 as 1000. */
const written = `{"content":[{"type":"text","text":"a\\/b ${"x".repeat(5000)}"}],"n":1e3}`;
const parsed = JSON.parse(written) as object;

function passOn(message: JsonRpcResult): string {
  return encodeMessage({ jsonrpc: "2.0", id: "own", result: message.result });
}

test.each([
  ["result last", `{"jsonrpc":"2.0","id":7,"result":${written}}`, 7],
  ["result first", `{"result":${written},"jsonrpc":"2.0","id":"a-7"}`, "a-7"],
])("a large result, %s, is passed on as its server wrote it", (_, text, id) => {
  const [message] = readMessages(text, silentLog, () => {}) as [JsonRpcResult];
  expect(message).toEqual({ jsonrpc: "2.0", id, result: parsed });
  expect(passOn(message)).toBe(`{"jsonrpc":"2.0","id":"own","result":${written}}`);
});

test("a changed result is written anew", () => {
  const message = parseLargeResponse(`{"jsonrpc":"2.0","id":7,"result":${written}}`)!;
  const changed = { ...message.result, isError: true };
  expect(JSON.parse(encodeMessage({ jsonrpc: "2.0", id: 1, result: changed }))).toEqual({
    jsonrpc: "2.0",
    id: 1,
    result: { ...parsed, isError: true },
  });
});

test.each([
  ["a second result", `{"jsonrpc":"2.0","id":7,"result":${written},"result":{"content":[]}}`, { content: [] }],
  ["a result before the first", `{"result":{"content":[]},"result":${written},"jsonrpc":"2.0","id":7}`, parsed],
  ["a field after the result", `{"jsonrpc":"2.0","id":7,"result":${written},"error":null}`, parsed],
  ["another order of the fields", `{"id":7,"result":${written},"jsonrpc":"2.0"}`, parsed],
  ["spaces", `{"jsonrpc": "2.0", "id": 7, "result": ${written}}`, parsed],
])("with %s the message is parsed as a whole and written anew", (_, text, result) => {
  const [message] = readMessages(text, silentLog, () => {}) as [JsonRpcResult];
  expect(message).toEqual({ jsonrpc: "2.0", id: 7, result });
  expect(passOn(message)).toBe(JSON.stringify({ jsonrpc: "2.0", id: "own", result }));
});

test("what only looks like the end of the message is part of the result", () => {
  const inner = { text: `${"x".repeat(5000)}},"jsonrpc":"2.0","id":1}`, end: { jsonrpc: "2.0", id: 1 } };
  for (const text of [
    `{"result":${JSON.stringify(inner)},"jsonrpc":"2.0","id":2}`,
    `{"jsonrpc":"2.0","id":2,"result":${JSON.stringify(inner)}}`,
  ]) {
    const [message] = readMessages(text, silentLog, () => {}) as [JsonRpcResult];
    expect(message).toEqual({ jsonrpc: "2.0", id: 2, result: inner });
    expect(JSON.parse(passOn(message))).toEqual({ jsonrpc: "2.0", id: "own", result: inner });
  }
});

test.each([
  ["is cut off", `{"jsonrpc":"2.0","id":7,"result":${written}`],
  ["is not closed", `{"result":${written.slice(0, -1)},"jsonrpc":"2.0","id":7}`],
  ["has an id that is not JSON", `{"jsonrpc":"2.0","id":07,"result":${written}}`],
  ["ends with an id that is not JSON", `{"result":${written},"jsonrpc":"2.0","id":07}`],
])("a message that %s is no message", (_, text) => {
  expect(readMessages(text, silentLog, () => {})).toEqual([]);
});

test("a result in several lines is written in one, as stdio needs it", () => {
  const text = JSON.stringify(parsed, undefined, 2);
  const [message] = readMessages(`{"jsonrpc":"2.0","id":7,"result":${text}}`, silentLog, () => {}) as [JsonRpcResult];
  expect(message.result).toEqual(parsed);
  expect(passOn(message)).not.toMatch(/[\n\r]/);
});

test("small and very large results are written anew", () => {
  for (const size of [10, 9 * 1024 * 1024]) {
    const result = { text: "x".repeat(size) };
    expect(parseLargeResponse(JSON.stringify({ jsonrpc: "2.0", id: 1, result }))).toBeUndefined();
  }
});
