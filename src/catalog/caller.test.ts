import { expect, test } from "vitest";
import {
  actingFor,
  callerName,
  callerNameOfKey,
  callerScopeKey,
  identitiesOf,
  mayControl,
  originOf,
  type Caller,
} from "./caller.ts";

const phone: Caller = {
  door: "mcp-http",
  token: "phone",
  client: "chat",
  sender: "ada",
  view: "agent",
  sessionKey: "s",
};

test("an agent that acts for a caller is added, and the caller stays", () => {
  expect(actingFor(phone, "clawport")).toEqual({ ...phone, agent: "clawport" });
  expect(originOf({ ...phone, agent: "clawport", server: "docs" })).toEqual(phone);
});

test("a call is judged as the caller, with its agent, and as the server that uses the model", () => {
  const server = { door: "server", client: "docs" };
  expect(identitiesOf(phone)).toEqual([phone]);
  expect(identitiesOf({ ...phone, agent: "a" })).toEqual([phone, { ...phone, agent: "a" }]);
  expect(identitiesOf({ ...phone, server: "docs" })).toEqual([phone, server]);
  expect(identitiesOf({ ...phone, agent: "a", server: "docs" })).toEqual([phone, { ...phone, agent: "a" }, server]);
});

test("through the plugin door the agent is the caller itself", () => {
  const agent: Caller = { door: "plugin", agent: "main", sender: "ada" };
  expect(identitiesOf(agent)).toEqual([agent]);
  expect(originOf(agent)).toBe(agent);
});

test.each<[Caller, boolean]>([
  [{ door: "cli" }, true],
  [{ door: "mcp-stdio" }, true],
  [{ door: "mcp-stdio", token: "stdio" }, true],
  [{ door: "mcp-http", token: "main", isLocal: true }, true],
  [{ door: "mcp-http", token: "main" }, false],
  [{ door: "mcp-http", token: "main", isLocal: false }, false],
  [{ door: "mcp-http", token: "phone", isLocal: true }, false],
  [{ door: "app-proxy", token: "main", isLocal: true }, false],
  [{ door: "console", client: "console" }, true],
  [{ door: "plugin", agent: "main" }, false],
  [{ door: "server", client: "docs" }, false],
])("%j may control: %s", (caller, may) => {
  expect(mayControl(caller)).toBe(may);
});

test.each([
  [{ door: "mcp-http", token: "claude-code", client: "claude-code" }, "claude-code"],
  [{ door: "mcp-http", token: "claude-code", client: "Claude-Code" }, "claude-code"],
  [{ door: "mcp-http", token: "main", client: "curl" }, "main (curl)"],
  [{ door: "mcp-stdio", client: "Inspector" }, "mcp-stdio (Inspector)"],
  [{ door: "cli" }, "cli"],
  [{ door: "plugin", sender: "ann", agent: "main" }, "ann, agent main"],
  [{ door: "plugin", agent: "main" }, "main"],
  [{ door: "mcp-http", token: "phone", agent: "main", server: "notes" }, "phone, agent main, server notes"],
])("a caller has one name: %j is %s", (caller, name) => {
  expect(callerName(caller)).toBe(name);
});

test("a key has the name of its caller, and what is no key has its own text", () => {
  const key = callerScopeKey({ door: "mcp-http", token: "phone", tokenKey: "3f9a" });
  expect(callerNameOfKey(key)).toBe("phone");
  for (const text of ["x", "{}", "[1]"]) expect(callerNameOfKey(text)).toBe(text);
});
