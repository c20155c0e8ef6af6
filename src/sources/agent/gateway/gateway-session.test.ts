import { expect, test } from "vitest";
import { gatewaySession } from "./gateway-session.ts";

test("a plain key stands as it is behind its agent", () => {
  expect(gatewaySession("user-123-conversation", "main")).toBe("agent:main:user-123-conversation");
  expect(gatewaySession("mcp-1700000000000-0a1b2c", "ops")).toBe("agent:ops:mcp-1700000000000-0a1b2c");
});

test("keys that OpenClaw would take for one another stay apart", () => {
  const keys = ["User", "user", "USER", " user", "user ", "sub:agent", "sub-agent", "über", "…", "!"];
  const sessions = keys.map((key) => gatewaySession(key, "main"));
  expect(new Set(sessions.map((session) => session.toLowerCase())).size).toBe(keys.length);
  for (const session of sessions) expect(session).toMatch(/^agent:main:[a-z0-9-]+$/);
});
