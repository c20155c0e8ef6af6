import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { startAuthorizationServer } from "../../tests/support/oauth/authorization-server.ts";
import { createVisitor } from "../../tests/support/oauth/consent.ts";
import { startProtectedServer } from "../../tests/support/oauth/protected-server.ts";
import {
  closeAfterTest,
  notesServer,
  notesStarts,
  openApp,
  pluginLog,
  startPlugin,
  stateDir,
} from "../../tests/support/start-plugin.ts";
import { openHome } from "../core/files/home.ts";
import { readConfigAt } from "../hub/state/active-config.ts";
import { type Hub, openHub } from "../../tests/support/open-hub.ts";
import type { OpenClawConfig } from "./openclaw-api.ts";

// Servers are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

const patiently = { timeout: 30_000, interval: 100 };
const me = { channel: "webchat", senderId: "me", senderIsOwner: true };

async function startHub(servers: object, more: object = {}): Promise<Hub> {
  const home = await openHome(join(stateDir, "mcp"));
  const path = home.file("clawport.json5");
  await writeFile(path, JSON.stringify({ servers, ...more }));
  const configuration = await readConfigAt({ path, location: "state-folder" }, home, process.env);
  const hub = await openHub({ home, configuration, env: process.env, log: pluginLog, version: "0", port: 0 });
  closeAfterTest(hub);
  await hub.settled(30_000);
  return hub;
}

test("a hub beside it keeps the servers that both have; when it ends, the plugin takes over", async () => {
  const hub = await startHub({ notes: notesServer() });
  const plugin = await startPlugin({ servers: { notes: notesServer() } });
  expect(await plugin.command("status", me)).toContain(`kept by the hub at ${hub.record.address}`);
  expect(await plugin.command('call notes__read {"name":"a"}', me)).toContain("note a");
  expect(await notesStarts()).toHaveLength(1);
  await hub.close();
  await expect.poll(() => plugin.command("status", me), { timeout: 30_000 }).toContain("kept by OpenClaw's gateway");
  expect(await plugin.command('call notes__read {"name":"b"}', me)).toContain("note b");
  expect(await notesStarts()).toHaveLength(2);
});

test("signing in to a server that the hub keeps goes through the hub", async () => {
  const authority = await startAuthorizationServer();
  const secured = await startProtectedServer(authority);
  closeAfterTest(authority, secured);
  await startHub({ one: { url: secured.url } });
  const plugin = await startPlugin({ servers: { one: { url: secured.url } } });
  const [address = ""] = /https?:\/\/\S+/.exec(await plugin.command("auth one", me)) ?? [];
  const left = await createVisitor().consent(address);
  expect(await plugin.command(`auth one --code ${left.href}`, me)).toMatch(/signed in/i);
  expect(await plugin.command("auth --list", me)).toMatch(/one[\s\S]*Signed in/);
  expect(await plugin.command("call one__read {}", me)).toContain("read with mcp:read");
});

test("the apps that the hub shows are offered to OpenClaw's agents, judged and recorded as theirs", async () => {
  const hub = await startHub({}, { apps: { serve: true, show: true, port: 0 } });
  const proxyUrl = hub.appsAddress ?? "";
  const appToken = (await readFile(join(stateDir, "mcp", "apps", "token.txt"), "utf8")).trim();
  const ran: string[] = [];
  const tool = (name: string, readOnlyHint: boolean) => ({
    name,
    annotations: { readOnlyHint },
    inputSchema: { type: "object" },
    run: () => (ran.push(name), `${name} ran`),
  });
  const app = await openApp({ proxyUrl, appToken, tools: [tool("look", true), tool("push", false)] });
  closeAfterTest({ [Symbol.asyncDispose]: () => app.close() });
  const config: OpenClawConfig = {};
  const plugin = await startPlugin({ agents: { work: { servers: [] } } }, config);
  await expect.poll(() => Object.keys(config.mcp?.servers ?? {}), patiently).toEqual(["app"]);
  await expect.poll(() => plugin.command("tools", me), patiently).toMatch(/app__look[\s\S]*app__push/);
  const call = (toolName: string, agentId: string) => {
    const event = { toolName, params: {}, toolCallId: toolName, runId: agentId };
    const { params } = plugin.announce(event, { agentId, runId: agentId }) ?? {};
    return { params, asks: plugin.askFirst({ ...event, params: params ?? {} }, { agentId, runId: agentId }) };
  };
  const look = call("app__look", "main");
  expect(await look.asks).toBeUndefined();
  expect(await callAt(config, "app", "look", look.params)).toContain("look ran");
  // As of a server's tool: without a read-only hint it asks, and no one is there to answer.
  const push = call("app__push", "main");
  expect(await push.asks).toMatchObject({ requireApproval: { title: expect.stringContaining("push") } });
  expect(await callAt(config, "app", "push", push.params)).toContain("needs approval");
  const forbidden = call("app__look", "work");
  expect(await callAt(config, "app", "look", forbidden.params)).toContain("may not use");
  expect(ran).toEqual(["look"]);
  await hub.close();
  await expect.poll(() => Object.keys(config.mcp?.servers ?? {}), patiently).toEqual([]);
});

/** Sends a call to the address in OpenClaw's configuration, as its own client does. */
async function callAt(config: OpenClawConfig, entry: string, name: string, args: unknown): Promise<string> {
  const { url, headers } = config.mcp?.servers?.[entry] ?? {};
  const response = await fetch(String(url), {
    method: "POST",
    headers: { ...(headers as Record<string, string>), "content-type": "application/json", accept: "*/*" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  return response.text();
}
