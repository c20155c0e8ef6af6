import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { beforeAll, describe, expect, test } from "vitest";
import { until } from "../../support/until.ts";
import { everythingPlan } from "./everything-plan.ts";
import { startEngine } from "../../support/start-engine.ts";
import { installServer } from "./install-server.ts";
import { type Observed, observe } from "./observe.ts";
import { openClient } from "./open-client.ts";
import { openServe } from "./open-serve.ts";
import { startEverything } from "./start-everything.ts";

const root = "/srv/folder";
const roots = [root];

beforeAll(() => installServer("everything"), 240_000);

/** A server that listens for clients, and the way of the official client to it. */
const listening = [
  { way: "streamableHttp" as const, direct: (url: URL) => new StreamableHTTPClientTransport(url) },
  { way: "sse" as const, direct: (url: URL) => new SSEClientTransport(url) },
];

async function observeDirect(transport: Transport): Promise<Observed> {
  await using direct = await openClient(transport, root);
  const observed = await observe(direct.client, everythingPlan, "");
  expect(observed.untried).toEqual([]);
  return observed;
}

describe("the server «everything» answers through clawport serve as it does directly", { timeout: 60_000 }, () => {
  test("over stdio, to stdio and to HTTP", async () => {
    const { command, program } = await installServer("everything");
    await using serve = await openServe({ everything: { command, args: [program], roots } });
    const expected = await observeDirect(new StdioClientTransport({ command, args: [program], ...serve.direct }));
    await using throughStdio = await openClient(serve.stdio(), root);
    expect(await observe(throughStdio.client, everythingPlan, "everything__")).toEqual(expected);
    await using throughHttp = await openClient(await serve.http("everything"), root);
    expect(await observe(throughHttp.client, everythingPlan, "")).toEqual(expected);
  });

  test("over stdio, handed on to a hub that runs", async () => {
    const { command, program } = await installServer("everything");
    await using serve = await openServe({ everything: { command, args: [program], roots } });
    const expected = await observeDirect(new StdioClientTransport({ command, args: [program], ...serve.direct }));
    await serve.hub();
    await using handedOn = await openClient(serve.stdio(), root);
    await until(async () => (await handedOn.client.listTools()).tools.length === expected.tools.length);
    expect(await observe(handedOn.client, everythingPlan, "everything__")).toEqual(expected);
  });

  test.each(listening)("over $way, to stdio and to HTTP", async ({ way, direct: connect }) => {
    await using server = await startEverything(way);
    await using serve = await openServe({ everything: { url: server.url, roots } });
    const expected = await observeDirect(connect(new URL(server.url)));
    await using throughStdio = await openClient(serve.stdio(), root);
    expect(await observe(throughStdio.client, everythingPlan, "everything__")).toEqual(expected);
    await using throughHttp = await openClient(await serve.http("everything"), root);
    expect(await observe(throughHttp.client, everythingPlan, "")).toEqual(expected);
  });
});

test("a tool of the server «everything» that runs only as a task can be called as one, or waited for", async () => {
  const { command, program } = await installServer("everything");
  await using serve = await openServe({ everything: { command, args: [program], roots } });
  await using throughHttp = await openClient(await serve.http("everything"), root);
  const { client } = throughHttp;
  await client.listTools();
  const name = "simulate-research-query";
  const messages: unknown[] = [];
  const waited = client.callTool({ name, arguments: { topic: "crabs" } }, undefined, {
    onprogress: ({ message }) => messages.push(message),
  });
  const seen: string[] = [];
  let result: unknown;
  for await (const each of client.experimental.tasks.callToolStream({
    name,
    arguments: { topic: "ants", ambiguous: true },
  })) {
    if (each.type === "taskStatus") seen.push(each.task.status);
    if (each.type === "result") ({ result } = each);
  }
  // The person of the client accepts every form, here without a choice.
  expect(JSON.stringify(result)).toContain("Research Report: ants (User accepted without selection)");
  expect(new Set(seen)).toEqual(new Set(["working", "input_required"]));
  expect(JSON.stringify(await waited)).toContain("Research Report: crabs");
  expect(messages).toContain("Analyzing content...");
}, 60_000);

test("a prompt without what it requires is refused here only if the hub checks the arguments of its server", async () => {
  const { command, program } = await installServer("everything");
  const server = { command, args: [program] };
  await using serve = await openServe({ open: server, checked: { ...server, arguments: "check" } });
  await using own = await openClient(await serve.http("open"), root);
  await expect(own.client.getPrompt({ name: "args-prompt" })).rejects.toThrow(/expected string.* at city/);
  await using checked = await openClient(await serve.http("checked"), root);
  await expect(checked.client.getPrompt({ name: "args-prompt" })).rejects.toThrow('needs the argument "city"');
}, 60_000);

test("a task of the server «everything» is a task behind a relay, too", { timeout: 60_000 }, async () => {
  const { command, program } = await installServer("everything");
  await using serve = await openServe({ everything: { command, args: [program], roots } });
  await serve.hub();
  await using handedOn = await openClient(serve.stdio(), root);
  const { client } = handedOn;
  const name = "everything__simulate-research-query";
  await until(async () => (await client.listTools()).tools.some((tool) => tool.name === name));
  const types: string[] = [];
  for await (const { type } of client.experimental.tasks.callToolStream({ name, arguments: { topic: "bees" } }))
    types.push(type);
  expect(types[0]).toBe("taskCreated");
  expect(types.at(-1)).toBe("result");
});

test("a server that is killed while its task runs does not leave its caller waiting", { timeout: 60_000 }, async () => {
  const { command, program } = await installServer("everything");
  await using engine = await startEngine({ everything: { command, args: [program] } });
  const messages: unknown[] = [];
  const progress = ({ message }: { message?: string }) => void messages.push(message);
  const result = engine.call("everything__simulate-research-query", { topic: "crabs" }, { progress });
  await until(() => messages.includes("Gathering sources..."));
  process.kill(engine.manager.status("everything").pid!, "SIGKILL");
  await expect(result).rejects.toMatchObject({ code: "outcome-unknown", message: /check before you retry/ });
});
