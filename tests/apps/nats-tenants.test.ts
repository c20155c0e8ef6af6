import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { expect, test, vi } from "vitest";
import { Secret } from "../../src/core/secrets/secret.ts";
import type { NatsOptions } from "../../src/sources/apps/nats/nats-connection.ts";
import { hasNats, type NatsServer, startNatsServer } from "../support/nats-server.ts";
import { startInstance } from "./start-instance.ts";
import { openApp } from "../support/apps/test-app.ts";

vi.setConfig({ testTimeout: 60_000 });

const documented = await readFile(join(import.meta.dirname, "../../deploy/cluster/nats.conf"), "utf8");
const buckets = ["sessions", "lives", "holders"];
const key = (name: string) => [new Secret(`${name}-${"k".repeat(40)}`)];

/** The rights that the documentation gives a deployment in an account of its own. */
function rightsOf(prefix: string): string {
  const [rights = ""] = /permissions: \{[\s\S]*?\n {8}\}/.exec(documented) ?? [];
  return rights.replaceAll("clawport", prefix);
}

/** Of two in one account, neither may make buckets. */
function sharedRightsOf(prefix: string): string {
  const lines = rightsOf(prefix).split("\n");
  return lines.filter((line) => !line.includes(".CREATE.")).join("\n");
}

async function startShared(accounts: string): Promise<NatsServer> {
  const folder = await mkdtemp(join(tmpdir(), "nats-conf-"));
  const file = join(folder, "nats.conf");
  await writeFile(file, `jetstream { store_dir: ${folder}/js }\naccounts { ${accounts} }`);
  const server = await startNatsServer({ jetStream: false, args: ["-c", file] });
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const as = (server: NatsServer, user: string) => server.url.replace("//", `//${user}:pw@`);

const dial = (server: NatsServer, user: string, inboxPrefix?: string): Promise<NatsConnection> =>
  connect({ servers: server.url.replace("nats://", ""), user, pass: "pw", ...(inboxPrefix && { inboxPrefix }) });

const isAnswered = (connection: NatsConnection, subject: string, text: string): Promise<boolean> =>
  connection.request(subject, text, { timeout: 300 }).then(
    () => true,
    () => false,
  );

test.skipIf(!hasNats)(
  "two deployments in one account can't read, tap, replace, answer or delete each other's",
  async () => {
    await using server = await startShared(`shared {
    jetstream: enabled
    users: [
      { user: admin, password: pw }
      { user: first, password: pw, ${sharedRightsOf("first")} }
      { user: second, password: pw, ${sharedRightsOf("second")} }
    ]
  }`);
    const admin = await dial(server, "admin");
    for (const prefix of ["first", "second"])
      for (const part of buckets) await new Kvm(admin).create(`${prefix}-${part}`, { history: 1 });
    const optionsOf = (prefix: string): NatsOptions => ({ servers: [as(server, prefix)], prefix, keys: key(prefix) });
    await using one = await startInstance(optionsOf("first"));
    await using two = await startInstance(optionsOf("first"));
    await using other = await startInstance(optionsOf("second"));
    const session = await one.create();
    await using app = await openApp(session.bridge_url);
    const elsewhere = { ...session, mcp_url: new URL(new URL(session.mcp_url).pathname, two.address).href };
    expect(await two.call(elsewhere, "echo_text", { text: "hi" })).toContain("hi");
    expect((await other.ask("POST", `/v1/mcp/${session.mcpSessionId}`, {})).status).toBe(404);

    const heard: string[] = [];
    const attacker = await dial(server, "second", "second.inbox");
    const note = (error: Error | null, message: { subject: string }) => void (error ?? heard.push(message.subject));
    for (const subject of ["first.>", "first.call.*", "_INBOX.>", ">", "$KV.first-sessions.>"])
      attacker.subscribe(subject, { callback: note });
    const record = `$KV.first-sessions.${session.mcpSessionId}`;
    const attempts: readonly (readonly [string, object | string])[] = [
      [`$JS.API.DIRECT.GET.KV_first-sessions.${record}`, ""],
      ["$JS.API.STREAM.MSG.GET.KV_first-sessions", { last_by_subj: record }],
      ["$JS.API.STREAM.INFO.KV_first-sessions", { subjects_filter: ">" }],
      ["$JS.API.STREAM.CREATE.TAP", { name: "TAP", subjects: ["first.>"] }],
      ["$JS.API.STREAM.UPDATE.KV_second-sessions", { name: "KV_second-sessions", subjects: ["first.>"] }],
      ["$JS.API.STREAM.CREATE.KV_second-x", { name: "KV_second-x", republish: { src: ">", dest: record } }],
      [
        "$JS.API.CONSUMER.CREATE.KV_second-sessions",
        { stream_name: "KV_second-sessions", config: { deliver_subject: record, ack_policy: "none" } },
      ],
      ["$JS.API.STREAM.PURGE.KV_first-sessions", ""],
      ["$JS.API.STREAM.DELETE.KV_first-sessions", ""],
      [record, "poison"],
      [`first.call.${session.mcpSessionId}`, { order: { tool: "echo_text" }, leftMs: 1000 }],
    ];
    for (const [subject, body] of attempts) {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      expect([subject, await isAnswered(attacker, subject, text)]).toEqual([subject, false]);
    }
    expect(await two.call(elsewhere, "echo_text", { text: "again" })).toContain("again");
    expect(app.messages.filter(({ type }) => type === "invoke_tool")).toHaveLength(2);
    expect((await one.ask("GET", "/ready")).status).toBe(200);
    const manager = await jetstreamManager(admin);
    const names = await manager.streams.names().next();
    expect(names.toSorted()).toEqual(
      ["first", "second"].flatMap((prefix) => buckets.map((part) => `KV_${prefix}-${part}`)).toSorted(),
    );
    expect(heard).toEqual([]);
    await attacker.close();
    await admin.close();
  },
);

test.skipIf(!hasNats)("a deployment in another account sees nothing, though it uses the same prefix", async () => {
  const account = (name: string) => `${name} {
    jetstream: enabled
    users: [{ user: ${name}, password: pw, ${rightsOf("clawport")} }]
  }`;
  await using server = await startShared(`${account("a")}\n${account("b")}`);
  await using one = await startInstance({ servers: [as(server, "a")], prefix: "clawport" });
  await using other = await startInstance({ servers: [as(server, "b")], prefix: "clawport" });
  const session = await one.create();
  await using _ = await openApp(session.bridge_url);
  expect(await one.call(session, "echo_text", { text: "hi" })).toContain("hi");
  expect((await other.ask("POST", `/v1/mcp/${session.mcpSessionId}`, {})).status).toBe(404);
});

test.skipIf(!hasNats)(
  "records and messages without the deployment's seal are refused, whoever wrote them",
  async () => {
    await using server = await startNatsServer();
    const options: NatsOptions = { servers: [server.url], prefix: "one", keys: key("one") };
    await using proxy = await startInstance(options);
    const [first, second] = [await proxy.create(), await proxy.create({ device_name: "other" })];
    await using app = await openApp(first.bridge_url);
    const stranger = await connect({ servers: server.url.replace("nats://", "") });
    const manager = await jetstreamManager(stranger);
    const subjectOf = ({ mcpSessionId }: typeof first) => `$KV.one-sessions.${mcpSessionId}`;
    const stored = await manager.streams.getMessage("KV_one-sessions", { last_by_subj: subjectOf(first) });
    const value = stored!.string();
    const write = (subject: string, text: string, sealed = false) =>
      jetstream(stranger).publish(subject, text, sealed ? { headers: stored!.header } : {});

    // A session that no instance opened, one that was replaced, and one that took the place of another.
    const invented = "x".repeat(22);
    await write(`$KV.one-sessions.${invented}`, value.replaceAll(first.mcpSessionId, invented));
    await write(subjectOf(second), value.replaceAll(first.mcpSessionId, second.mcpSessionId), true);
    await using fresh = await startInstance(options);
    for (const id of [invented, second.mcpSessionId])
      expect((await fresh.ask("POST", `/v1/mcp/${id}`, {})).status).toBe(404);
    expect((await fresh.ask("POST", `/v1/mcp/${first.mcpSessionId}`, {})).status).not.toBe(404);

    const order = { sessionId: "", callId: "c", tool: "echo_text", args: { text: "evil" }, mayRepeat: true };
    const sent = JSON.stringify({ order, leftMs: 5000 });
    expect(await isAnswered(stranger, `one.call.${first.mcpSessionId}`, sent)).toBe(false);
    expect(app.messages.filter(({ type }) => type === "invoke_tool")).toEqual([]);
    const strangers = await startInstance({ ...options, keys: key("two") });
    expect((await strangers.ask("POST", `/v1/mcp/${first.mcpSessionId}`, {})).status).toBe(404);
    await strangers[Symbol.asyncDispose]();
    await stranger.close();
  },
);

test.skipIf(!hasNats)("instances take over what a version without seals stored, and refuse it afterwards", async () => {
  await using server = await startNatsServer();
  const old: NatsOptions = { servers: [server.url], prefix: "up" };
  const before = await startInstance(old);
  const session = await before.create();
  const at = (proxy: { readonly address: string }) => ({
    ...session,
    bridge_url: session.bridge_url.replace(/\/\/[^/]+/, `//${new URL(proxy.address).host}`),
    mcp_url: session.mcp_url.replace(/\/\/[^/]+/, `//${new URL(proxy.address).host}`),
  });
  await using during = await startInstance({ ...old, keys: key("up"), acceptUnsealed: true });
  {
    await using _ = await openApp(at(before).bridge_url);
    expect(await during.call(at(during), "echo_text", { text: "to the old" })).toContain("to the old");
  }
  await using app = await openApp(at(during).bridge_url);
  await expect.poll(() => before.call(at(before), "echo_text", { text: "x" })).toContain("x");
  await before[Symbol.asyncDispose]();

  const strict: NatsOptions = { ...old, keys: key("up") };
  const finds = async () => {
    await using after = await startInstance(strict);
    return await after.call(at(after), "echo_text", { text: "sealed" });
  };
  await expect.poll(finds, { timeout: 20_000, interval: 1000 }).toContain("sealed");
  expect(app.messages.some(({ type }) => type === "invoke_tool")).toBe(true);
  await using after = await startInstance(strict);
  await using late = await startInstance(old);
  const unsealed = await late.create();
  expect((await after.ask("POST", `/v1/mcp/${unsealed.mcpSessionId}`, {})).status).toBe(404);
});
