import { expect, test } from "vitest";
import {
  createSessionKey,
  gatewaySessionKey,
  hashSessionKey,
  isGeneratedKey,
  orderKeyOf,
  parseScopedKey,
  scopeSessionKey,
  tokenOfGatewayKey,
} from "./session-key.ts";

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

const phone = { door: "mcp-http", token: "phone" } as const;

test("a named token has keys of its own; the main token, pipes and terminals keep theirs", () => {
  const scoped = scopeSessionKey("work", phone);
  expect(scoped).toMatch(/^work@phone-[0-9a-f]{16}$/);
  expect(scopeSessionKey("work", { ...phone, token: "Phone" })).not.toBe(scoped);
  for (const caller of [
    { door: "cli" },
    { door: "mcp-stdio", token: "stdio" },
    { door: "mcp-http", token: "main" },
  ] as const)
    expect(scopeSessionKey("work", caller)).toBe("work");
  expect(parseScopedKey(scoped)).toEqual({ key: "work", token: "phone" });
  expect([orderKeyOf(scoped), orderKeyOf("work")]).toEqual(["work", "work"]);
});

test("no choice of names and keys leads two tokens to one conversation", () => {
  const odd = ["a", "b@a", "a-", "work@phone", "me@home-0123456789abcdef", scopeSessionKey("a", phone)];
  const tokens = ["phone", "phone-a", "a.b", "Phone", "main"];
  const keys = tokens.flatMap((token) => odd.map((key) => scopeSessionKey(key, { door: "mcp-http", token })));
  // The main token may name the conversation of another one, as the owner.
  expect(new Set(keys).size).toBe(keys.length - 1);
  expect(new Set(keys.map((key) => gatewaySessionKey(key, "main").toLowerCase())).size).toBe(keys.length - 1);
});

test("OpenClaw's key of a named token's conversation shows the token, whatever the key looks like", () => {
  for (const [key, token] of [
    ["work", "phone"],
    ["Über: mich", "phone"],
    ["…", "My.Laptop-2"],
  ] as const) {
    const own = gatewaySessionKey(scopeSessionKey(key, { door: "mcp-http", token }), "main");
    expect(own).toMatch(/^agent:main:[a-z0-9_.@+-]+$/);
    expect(tokenOfGatewayKey(own)).toBe(token.toLowerCase());
  }
  expect(tokenOfGatewayKey("agent:main:me@home")).toBeUndefined();
});

test("a generated key stays one for a named token", () => {
  expect(isGeneratedKey(scopeSessionKey(createSessionKey(), phone))).toBe(true);
  expect(isGeneratedKey(scopeSessionKey("mcp-1", phone))).toBe(false);
});
