import { expect, test } from "vitest";
import { forwardedMeta, stripEnvelope } from "./envelope.ts";

test("what the protocol adds for one connection is removed, and the server's own fields stay", () => {
  const result = {
    resultType: "complete",
    ttlMs: 60_000,
    cacheScope: "public",
    content: [{ type: "text", text: "hi", _meta: { "io.modelcontextprotocol/serverInfo": "of the block" } }],
    structuredContent: { resultType: "theirs" },
    _meta: {
      "io.modelcontextprotocol/serverInfo": { name: "upstream", version: "1" },
      "example.com/cost": 3,
      ui: { resourceUri: "ui://a" },
    },
  };
  expect(stripEnvelope(result)).toEqual({
    content: result.content,
    structuredContent: { resultType: "theirs" },
    _meta: { "example.com/cost": 3, ui: { resourceUri: "ui://a" } },
  });
  expect(result).toHaveProperty("resultType");
});

test("a result of an older revision is returned unchanged", () => {
  const result = { content: [], _meta: { trace: "1" } };
  expect(stripEnvelope(result)).toBe(result);
});

test("no empty _meta is left behind", () => {
  expect(stripEnvelope({ contents: [], _meta: { "io.modelcontextprotocol/serverInfo": {} } })).toEqual({
    contents: [],
  });
});

test("of a request's _meta everything is forwarded but what is about its connection", () => {
  const envelope = {
    progressToken: 7,
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "c" },
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/logLevel": "debug",
    "io.modelcontextprotocol/related-task": { taskId: "1" },
    "clawport/era": "legacy",
    "clawport/identity": "a statement that only we may make",
  };
  const own = { traceparent: "00-a", tracestate: "b=c", baggage: "d=e", "example.com/x": { y: 1 } };
  expect(forwardedMeta({ ...envelope, ...own })).toEqual(own);
  expect(forwardedMeta(envelope)).toBeUndefined();
});
