import { expect, test } from "vitest";
import { createSessionKey, gatewaySessionKey, hashSessionKey } from "./session-key.ts";

test("a plain key stays as it is, after the agent's id", () => {
  expect(gatewaySessionKey("user-123-conversation", "main")).toBe("agent:main:user-123-conversation");
  expect(gatewaySessionKey("mcp-1700000000000-0a1b2c", "ops")).toBe("agent:ops:mcp-1700000000000-0a1b2c");
});

test("keys that OpenClaw would confuse stay different", () => {
  const keys = ["User", "user", "USER", " user", "user ", "sub:agent", "sub-agent", "über", "…", "!"];
  const sessions = keys.map((key) => gatewaySessionKey(key, "main"));
  expect(new Set(sessions.map((session) => session.toLowerCase())).size).toBe(keys.length);
  for (const session of sessions) expect(session).toMatch(/^agent:main:[a-z0-9-]+$/);
});

test("a generated key has the time and a random part, and is never made twice", () => {
  const keys = Array.from({ length: 100 }, () => createSessionKey(1_700_000_000_000));
  for (const key of keys) expect(key).toMatch(/^mcp-1700000000000-[0-9a-f]{16}$/);
  expect(new Set(keys).size).toBe(100);
});

test("the hash of a key does not show the key and is the same each time", () => {
  expect(hashSessionKey("user-123")).toBe(hashSessionKey("user-123"));
  expect(hashSessionKey("user-123")).toMatch(/^[0-9a-f]{16}$/);
  expect(hashSessionKey("user-123")).not.toBe(hashSessionKey("user-124"));
});
