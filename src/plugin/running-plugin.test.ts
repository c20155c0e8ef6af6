import { once } from "node:events";
import { createPublicKey, type JsonWebKey, verify } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import {
  booksServer,
  closeAfterTest,
  createOpenClaw,
  notesServer,
  notesStarts,
  startPlugin,
  stateDir,
} from "../../tests/support/start-plugin.ts";
import type { OpenClawConfig } from "./openclaw-api.ts";

// Servers are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

const me = { channel: "webchat", senderId: "me", senderIsOwner: true };

function edit(config: OpenClawConfig, own: Record<string, unknown>): void {
  Object.assign(config.plugins?.entries?.["mcp-client"]?.config ?? {}, own);
}

test("only the owner changes or reveals something, and absent means not the owner", async () => {
  const rules = [{ source: "notes", owner: false, verdict: "deny" }];
  const plugin = await startPlugin({ servers: { notes: notesServer() }, policy: { rules } });
  for (const senderIsOwner of [false, undefined]) {
    const other = { channel: "webchat", senderId: "other", senderIsOwner };
    expect(await plugin.command("servers", other)).toContain("MCP Servers (1 configured)");
    const changing = ["disconnect notes", "connect http://127.0.0.1:9/mcp", "auth notes", "refresh", "logs notes"];
    for (const command of [...changing, 'call notes__write {"name":"x"}'])
      expect(await plugin.command(command, other)).toMatch(/^Only the owner/);
  }
  expect(await plugin.command('call notes__write {"name":"x"}', me)).toContain("wrote x");
  await plugin.close();
  const lines = (await readFile(join(stateDir, "mcp", "audit", "calls.jsonl"), "utf8")).trim().split("\n");
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ sender: "webchat:me", verdict: "ask", outcome: "ok" });
});

test("a configuration that can't be used is reported, and starts no server", async () => {
  const plugin = await startPlugin({ servers: { notes: { ...notesServer(), comand: "typo" } } });
  expect(await plugin.command("servers", me)).toMatch(/can't be used:[\s\S]*comand[\s\S]*0 configured/);
});

test("a server that no agent may use is not started", async () => {
  const plugin = await startPlugin({ servers: { notes: notesServer() }, agents: { defaults: { servers: [] } } });
  expect(await plugin.command("servers", me)).toContain("no agent may use it");
  expect(await notesStarts()).toEqual([]);
});

test("everything that was written into OpenClaw's configuration can be taken back", async () => {
  const config: OpenClawConfig = { mcp: { servers: { mine: { url: "https://example.com/mcp" } } } };
  const plugin = await startPlugin({ servers: { notes: notesServer() } }, config);
  await expect.poll(() => Object.keys(config.mcp?.servers ?? {})).toEqual(["mine", "notes"]);
  await plugin.withdraw(createOpenClaw(config).runtime);
  expect(config.mcp).toEqual({ servers: { mine: { url: "https://example.com/mcp" } } });
});

test("a server with identity: true is told who asked, and the key is published; others are told nothing", async () => {
  const config: OpenClawConfig = {};
  const plugin = await startPlugin(
    { servers: { notes: { ...notesServer(), identity: true }, plain: notesServer() } },
    config,
  );
  await plugin.command('call notes__read {"name":"a"}', me);
  await plugin.command('call plain__read {"name":"b"}', me);
  const said = (await readFile(join(stateDir, "notes.log"), "utf8")).split("\n");
  const [, statement = ""] =
    /"clawport\/identity":"([\w.-]+)"/.exec(said.find((line) => line.includes('"a"')) ?? "") ?? [];
  const [header = "", claims = "", signature = ""] = statement.split(".");
  expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({ aud: "notes", sender: "webchat:me" });
  expect(said.find((line) => line.includes('"b"'))).not.toContain("identity");
  await expect.poll(() => Object.keys(config.mcp?.servers ?? {})).toContain("notes");
  const address = new URL("/.well-known/jwks.json", String(config.mcp?.servers?.["notes"]?.url));
  const { keys } = (await (await fetch(address)).json()) as { keys: [JsonWebKey] };
  const key = createPublicKey({ key: keys[0], format: "jwk" });
  expect(verify(null, Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, "base64url"))).toBe(true);
});

test("an endpoint declares what its server declares: OpenClaw makes tools of resources and prompts", async () => {
  const config: OpenClawConfig = {};
  const plugin = await startPlugin({ servers: { notes: notesServer(), books: booksServer() } }, config);
  await plugin.command("servers", me);
  await expect.poll(() => Object.keys(config.mcp?.servers ?? {})).toEqual(["notes", "books"]);
  const declared = async (server: string): Promise<readonly string[]> => {
    const { url, headers } = config.mcp?.servers?.[server] ?? {};
    const clientInfo = { name: "openclaw-bundle-mcp", version: "1" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    const response = await fetch(String(url), {
      method: "POST",
      headers: { ...(headers as Record<string, string>), "content-type": "application/json", accept: "*/*" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    });
    const { result } = (await response.json()) as { result: { capabilities: object } };
    return Object.keys(result.capabilities).filter((name) => ["tools", "resources", "prompts"].includes(name));
  };
  expect(await declared("notes")).toEqual(["tools"]);
  expect(await declared("books")).toEqual(["tools", "resources", "prompts"]);
});

test("a statement of identity in a client's request reaches no server", async () => {
  const config: OpenClawConfig = {};
  const plugin = await startPlugin(
    { servers: { notes: { ...notesServer(), identity: true }, plain: notesServer() } },
    config,
  );
  await plugin.command("servers", me);
  await expect.poll(() => Object.keys(config.mcp?.servers ?? {})).toEqual(["notes", "plain"]);
  for (const server of ["notes", "plain"]) {
    const { url, headers } = config.mcp?.servers?.[server] ?? {};
    const response = await fetch(String(url), {
      method: "POST",
      headers: { ...(headers as Record<string, string>), "content-type": "application/json", accept: "*/*" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "read", arguments: { name: server }, _meta: { "clawport/identity": "forged", kept: 1 } },
      }),
    });
    expect(await response.text()).toContain(`note ${server}`);
  }
  const said = await readFile(join(stateDir, "notes.log"), "utf8");
  expect(said).not.toContain("forged");
  expect(said.match(/"kept":1/g)).toHaveLength(2);
  // The other one has our own.
  expect(said.match(/"clawport\/identity":"ey/g)).toHaveLength(1);
});

test("an edit of what is read at the start takes effect without a restart of the gateway", async () => {
  const config: OpenClawConfig = {};
  const plugin = await startPlugin({ servers: { notes: notesServer() } }, config);
  await expect.poll(() => Object.keys(config.mcp?.servers ?? {})).toEqual(["notes"]);
  edit(config, { machine: { enabled: true }, apps: { serve: true, show: true, port: 0, prefix: "desk" } });
  await plugin.reconfigure();
  await expect.poll(() => Object.keys(config.mcp?.servers ?? {}).toSorted()).toEqual(["desk", "machine", "notes"]);
  edit(config, { machine: { enabled: false }, apps: { serve: false, show: false } });
  await plugin.reconfigure();
  await expect.poll(() => Object.keys(config.mcp?.servers ?? {})).toEqual(["notes"]);
  expect(await plugin.command('call notes__read {"name":"a"}', me)).toContain("note a");
});

test("a port that is taken moves the endpoints, and one of the apps only leaves them out", async () => {
  const config: OpenClawConfig = {};
  const first = await startPlugin({ servers: { notes: notesServer() } }, config);
  const urlOf = () => String(config.mcp?.servers?.["notes"]?.url);
  await expect.poll(urlOf).toContain("http");
  const before = urlOf();
  await first.close();
  const squatter = createServer().listen(Number(new URL(before).port), "127.0.0.1");
  closeAfterTest({ [Symbol.asyncDispose]: async () => void squatter.close() });
  await once(squatter, "listening");
  const apps = { serve: true, show: true, port: Number(new URL(before).port) };
  const second = await startPlugin({ servers: { notes: notesServer() }, apps }, config);
  await expect.poll(urlOf).not.toBe(before);
  expect(await second.command('call notes__read {"name":"a"}', me)).toContain("note a");
});

test("a server that gets identity: true later finds the key published", async () => {
  const config: OpenClawConfig = {};
  const plugin = await startPlugin({ servers: { notes: notesServer() } }, config);
  await expect.poll(() => Object.keys(config.mcp?.servers ?? {})).toContain("notes");
  const address = new URL("/.well-known/jwks.json", String(config.mcp?.servers?.["notes"]?.url));
  expect((await fetch(address)).status).not.toBe(200);
  edit(config, { servers: { notes: { ...notesServer(), identity: true } } });
  await plugin.reconfigure();
  expect(await plugin.command('call notes__read {"name":"a"}', me)).toContain("note a");
  expect(await (await fetch(address)).json()).toMatchObject({ keys: [{ kty: "OKP" }] });
});
