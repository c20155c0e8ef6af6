import { expect, test } from "vitest";
import { startGuard, textOf } from "../../../tests/support/start-guard.ts";
import { testContext, testTool } from "../../../tests/support/test-source.ts";
import { Fault } from "../../core/fault.ts";
import { RpcFault } from "../../mcp/messages/json-rpc.ts";
import { errorResult, textResult } from "../../mcp/messages/tool.ts";
import { openPins } from "./pins.ts";

test("an allowed call reaches the source under the source's own name, and the audit has it", async () => {
  await using hub = await startGuard();
  expect(await hub.call("git__push", { branch: "main" })).toEqual(textResult("push"));
  expect(hub.source.calls).toEqual([{ name: "push", args: { branch: "main" } }]);
  expect(hub.entries).toMatchObject([
    { tool: "git__push", source: "git", verdict: "allow", why: "preset default", outcome: "ok", ms: 0 },
  ]);
});

test("a denied call never reaches the source, and says which rule denied it", async () => {
  await using hub = await startGuard({ policy: { rules: [{ source: "git", verdict: "deny" }] } });
  const result = await hub.call();
  expect(result.isError).toBe(true);
  expect(textOf(result)).toBe("git__push was denied: policy.rules[0] forbids it.");
  expect(hub.source.calls).toEqual([]);
  expect(hub.entries).toMatchObject([{ verdict: "deny", why: "policy.rules[0]", outcome: "denied" }]);
});

test("a changed tool does not run if no one can be asked, until a command accepts the change", async () => {
  await using hub = await startGuard();
  await hub.call();
  hub.source.offer([testTool("push", { description: "Also sends your files away." })]);
  expect(textOf(await hub.call())).toMatch(/has changed since it was first listed\.$/);
  expect(hub.entries.at(-1)).toMatchObject({ verdict: "ask", outcome: "denied" });
  await openPins({ folder: hub.files.pins }).accept("git__push");
  expect((await hub.call()).isError).toBeUndefined();
  expect(hub.source.calls).toHaveLength(2);
});

test("a call beyond a limit gets an error that says when to try again", async () => {
  await using hub = await startGuard({ policy: { limits: [{ calls: 2, seconds: 60, per: "caller-and-tool" }] } });
  await hub.call();
  await hub.call();
  expect(textOf(await hub.call())).toContain("Try again in 30 s");
  expect(hub.entries.at(-1)).toMatchObject({ verdict: "deny", why: "limit", outcome: "rate-limited" });
  hub.pass(30_000);
  expect((await hub.call()).isError).toBeUndefined();
});

test("what a source throws becomes a result with isError, and the audit has its code", async () => {
  const failures = [new Fault("unavailable", "The server is down."), new Error("boom"), new Fault("cancelled", "gone")];
  await using hub = await startGuard({ source: { call: () => Promise.reject(failures.shift()!) } });
  expect(await hub.call()).toMatchObject({ isError: true, content: [{ text: "The server is down." }] });
  expect(await hub.call()).toMatchObject({ isError: true });
  await expect(hub.call()).rejects.toMatchObject({ code: "cancelled" });
  expect(hub.entries.map(({ outcome }) => outcome)).toEqual(["unavailable", "internal", "cancelled"]);
});

test("resources and prompts go through the guard too", async () => {
  await using hub = await startGuard({
    source: {
      id: "docs",
      readResource: (uri) => Promise.resolve({ contents: [{ uri, text: "hello" }] }),
      prompts: () => [{ name: "review" }],
      getPrompt: (name) => Promise.resolve({ description: name, messages: [] }),
    },
  });
  const view = hub.catalog.view("all");
  const read = () => hub.guard.readResource(view, "docs://1", testContext());
  expect(await read()).toEqual({ contents: [{ uri: "docs://1", text: "hello" }] });
  expect(await hub.guard.getPrompt(view, "git__review", {}, testContext())).toMatchObject({ description: "review" });
  await expect(hub.guard.getPrompt(view, "nope", {}, testContext())).rejects.toMatchObject({ code: "unknown-prompt" });
  hub.guard.setPolicy({ rules: [{ source: "docs", verdict: "deny" }] });
  await expect(read()).rejects.toMatchObject({ code: "denied" });
  expect(hub.entries.map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual([
    "resources/read ok",
    "prompts/get ok",
    "resources/read denied",
  ]);
});

test("a policy that denies reading from a source denies subscribing to its resources, and the audit says so", async () => {
  const watched: string[] = [];
  await using hub = await startGuard({
    source: {
      id: "docs",
      readResource: (uri) => Promise.resolve({ contents: [{ uri, text: "hello" }] }),
      async watchResource(uri) {
        watched.push(uri);
        return () => void watched.splice(watched.indexOf(uri), 1);
      },
    },
  });
  const view = hub.catalog.view("all");
  const subscribe = (uri = "docs://1") => hub.guard.watchResource(view, uri, () => {}, testContext());
  const unsubscribe = await subscribe();
  expect(watched).toEqual(["docs://1"]);
  unsubscribe();
  expect(watched).toEqual([]);
  hub.guard.setPolicy({ rules: [{ source: "docs", verdict: "deny" }] });
  await expect(subscribe()).rejects.toMatchObject({ code: "denied", message: expect.stringContaining("rules[0]") });
  expect(watched).toEqual([]);
  expect(hub.entries).toMatchObject([
    { source: "docs", tool: "resources/subscribe", verdict: "allow", outcome: "ok" },
    { source: "docs", tool: "resources/subscribe", verdict: "deny", why: "policy.rules[0]", outcome: "denied" },
  ]);
});

test("subscribing to a resource that no source has is a fault, and one whose source sends no updates is not", async () => {
  await using empty = await startGuard();
  const missing = empty.guard.watchResource(empty.catalog.view("all"), "docs://1", () => {}, testContext());
  await expect(missing).rejects.toMatchObject({ code: "unknown-resource", detail: { uri: "docs://1" } });
  await using hub = await startGuard({ source: { readResource: () => Promise.resolve({ contents: [] }) } });
  const unsubscribe = await hub.guard.watchResource(hub.catalog.view("all"), "docs://1", () => {}, testContext());
  expect(unsubscribe()).toBeUndefined();
});

test("the audit has a hash in place of the id of an app's session", async () => {
  await using hub = await startGuard({ source: { kind: "app", id: "session-4711" } });
  await hub.call();
  expect(hub.entries[0]?.source).toMatch(/^app:[0-9a-f]{16}$/);
});

const strictTool = testTool("push", {
  inputSchema: { type: "object", properties: { branch: { type: "string" } }, additionalProperties: false },
  annotations: { readOnlyHint: true },
});

test("a server that refuses arguments is quoted first, then the field that differs from the schema", async () => {
  const refusals = [
    () => Promise.resolve(errorResult("no")),
    () => Promise.reject(new RpcFault({ code: -32602, message: "Bad arguments", data: { field: 1 } })),
  ];
  const source = { judgesArguments: true, call: () => refusals.shift()!() };
  await using hub = await startGuard({ source, tools: [strictTool] });
  const hint = "Hint: the arguments differ from the tool's schema: branch: expected string, got number";
  expect((await hub.call("git__push", { branch: 7 })).content).toEqual([
    { type: "text", text: "no" },
    { type: "text", text: hint },
  ]);
  const error = { code: -32602, message: `Bad arguments\n${hint}`, data: { field: 1 } };
  await expect(hub.call("git__push", { branch: 7 })).rejects.toMatchObject({ error });
});

test("an error of the protocol that is not about parameters is quoted alone", async () => {
  const error = { code: -32000, message: "The database is down" };
  const source = { judgesArguments: true, call: () => Promise.reject(new RpcFault(error)) };
  await using hub = await startGuard({ source, tools: [strictTool] });
  await expect(hub.call("git__push", { branch: 7 })).rejects.toMatchObject({ error });
});

test("a tool that fails on arguments that fit is quoted alone", async () => {
  const source = { judgesArguments: true, call: () => Promise.resolve(errorResult("full")) };
  await using hub = await startGuard({ source, tools: [strictTool] });
  expect(await hub.call("git__push", { branch: "main" })).toEqual(errorResult("full"));
});

test("a tool that fails on arguments that can't be checked is quoted alone, and strict asks about them", async () => {
  const source = { judgesArguments: true, trusted: true, call: () => Promise.resolve(errorResult("full")) };
  const tree = testTool("push", {
    inputSchema: { type: "object", properties: { tree: { $ref: "#" } } },
    annotations: { readOnlyHint: true },
  });
  let args = {};
  for (let depth = 0; depth < 80; depth++) args = { tree: args };
  await using hub = await startGuard({ source, tools: [tree] });
  expect(await hub.call("git__push", args)).toEqual(errorResult("full"));
  await using strict = await startGuard({ policy: { preset: "strict" }, source, tools: [tree] });
  const questions = strict.person("once");
  await strict.call("git__push", args);
  expect(JSON.stringify(questions)).toContain("the arguments can't be compared with the tool's schema (is too deep");
});

test("under strict, arguments that don't fit the schema are a question that names the field", async () => {
  const source = { judgesArguments: true, trusted: true };
  await using hub = await startGuard({ policy: { preset: "strict" }, source, tools: [strictTool] });
  expect((await hub.call("git__push", { branch: "main" })).isError).toBeUndefined();
  const questions = hub.person("once");
  expect((await hub.call("git__push", { branch: "main", force: true })).isError).toBeUndefined();
  expect(questions).toHaveLength(1);
  expect(JSON.stringify(questions)).toContain("the arguments don't fit the tool's schema (unknown field");
  expect(hub.entries.at(-1)).toMatchObject({ verdict: "ask", why: expect.stringMatching(/^arguments: once/) });
});
