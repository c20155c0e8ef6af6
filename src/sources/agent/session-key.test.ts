import { expect, test } from "vitest";
import { createSessionKey, hashSessionKey } from "./session-key.ts";

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
