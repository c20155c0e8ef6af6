import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { startAuthorizationServer } from "../../tests/oauth/bench/authorization-server.ts";
import { createVisitor } from "../../tests/oauth/bench/consent.ts";
import { startProtectedServer } from "../../tests/oauth/bench/protected-server.ts";
import {
  closeAfterTest,
  notesServer,
  notesStarts,
  pluginLog,
  startPlugin,
  stateDir,
} from "../../tests/support/start-plugin.ts";
import { openHome } from "../core/files/home.ts";
import { readConfigAt } from "../hub/active-config.ts";
import { type Hub, openHub } from "../hub/hub.ts";

// Servers are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

const me = { channel: "webchat", senderId: "me", senderIsOwner: true };

async function startHub(servers: object): Promise<Hub> {
  const home = await openHome(join(stateDir, "mcp"));
  const path = home.file("clawport.json5");
  await writeFile(path, JSON.stringify({ servers }));
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
