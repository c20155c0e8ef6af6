import { rm, writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { silentLog } from "../../src/core/log.ts";
import { createViewOffer } from "../../src/doors/mcp/view-offer.ts";
import type { JsonRpcMessage } from "../../src/mcp/messages/json-rpc.ts";
import { createMcpServer } from "../../src/mcp/server/mcp-server.ts";
import { startGuard } from "../support/start-guard.ts";
import { until } from "../support/until.ts";
import { openJournal } from "./open-journal.ts";
import { startEngine } from "../support/start-engine.ts";
import { program } from "../setup/programs.ts";

vi.setConfig({ testTimeout: 30_000 });

const gated = program("tests/servers/fixtures/gated-stdio.ts");

/** An engine whose server `slow` starts when it is let go, served to a client with a session. */
async function openSlow(options: { readonly settings?: object; readonly listPatienceMs?: number } = {}) {
  const journal = await openJournal();
  const gate = `${journal.file}.gate`;
  const { command, args, pidNamespace } = journal.server("legacy");
  const slow = { command, args: [gated, gate, ...args.slice(1)], pidNamespace };
  const engine = await startEngine({ slow: { ...slow, ...options.settings } }, {}, 0);
  const guarded = await startGuard();
  const { listPatienceMs } = options;
  const server = createMcpServer(
    createViewOffer({
      view: engine.catalog.view("all"),
      guard: guarded.guard,
      door: "mcp-http",
      info: { name: "test", version: "1" },
      log: silentLog,
      listPatienceMs,
    }),
  );
  const pushed: JsonRpcMessage[] = [];
  const peer = server.openPeer({ principal: "main", twoWay: true, push: (message) => pushed.push(message) });
  peer.version = "2025-11-25";
  let id = 0;
  return {
    journal,
    pushed,
    peer,
    server,
    letGo: () => writeFile(gate, ""),
    request: async (method: string, params: object = {}) =>
      JSON.stringify(
        await server.handle({ jsonrpc: "2.0", id: ++id, method, params: { ...params } }, peer, { send() {} }),
      ),
    async [Symbol.asyncDispose]() {
      await writeFile(gate, "");
      server.close();
      await engine[Symbol.asyncDispose]();
      await guarded[Symbol.asyncDispose]();
      await rm(gate, { force: true });
      await journal[Symbol.asyncDispose]();
    },
  };
}

test("a list and a call wait for a server that is still connecting", async () => {
  await using slow = await openSlow();
  const list = slow.request("tools/list");
  const call = slow.request("tools/call", { name: "slow__write", arguments: {} });
  const other = slow.request("tools/call", { name: "other__write", arguments: {} });
  expect(await other).toContain("Unknown tool");
  await slow.letGo();
  expect(await list).toContain("slow__write");
  expect(await call).toContain("write ran");
  expect(await slow.request("tools/call", { name: "slow__none", arguments: {} })).toContain("Unknown tool");
});

test("a list that has waited long enough shows what is there, and list_changed follows", async () => {
  await using slow = await openSlow({ listPatienceMs: 50 });
  expect(await slow.request("tools/list")).toContain('"tools":[]');
  await slow.letGo();
  await until(() => slow.pushed.some((message) => JSON.stringify(message).includes("tools/list_changed")));
  expect(await slow.request("tools/list")).toContain("slow__write");
});

test("neither a call nor a list waits longer than the server may take to connect", async () => {
  await using slow = await openSlow({ settings: { connectTimeoutMs: 300, era: "legacy" }, listPatienceMs: 60_000 });
  const read = slow.request("resources/read", { uri: "test://none" });
  expect(await slow.request("tools/call", { name: "slow__write", arguments: {} })).toContain("Unknown tool");
  expect(await read).toContain("error");
  expect(await slow.request("tools/list")).toContain('"tools":[]');
});

test("a call that is cancelled while it waits never runs", async () => {
  await using slow = await openSlow();
  const call = slow.request("tools/call", { name: "slow__write", arguments: {} });
  await slow.server.handle({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }, slow.peer, {
    send() {},
  });
  expect(await call).toBeUndefined();
  await slow.letGo();
  expect(await slow.request("tools/list")).toContain("slow__write");
  expect(slow.journal.count("run write")).toBe(0);
});

test("a server that can't be started keeps no list waiting for long", async () => {
  await using engine = await startEngine({ gone: { command: "no-such-program-anywhere" } }, {}, 0);
  const [source] = engine.catalog.sources();
  await source?.connecting?.()?.settled;
  expect(source?.connecting?.()).toBeUndefined();
});
