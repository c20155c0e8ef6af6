import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { approveCall } from "../../../tests/support/approve-call.ts";
import { controlAt } from "../../../tests/support/hub-socket.ts";
import { closeAfterTest, notesServer, pluginLog, startPlugin, stateDir } from "../../../tests/support/start-plugin.ts";
import { defaultConfig } from "../../core/config/find-config.ts";
import { openHome } from "../../core/files/home.ts";
import type { World } from "../../core/process/world.ts";
import { openHub } from "../../../tests/support/open-hub.ts";
import { openTerminal } from "../../../tests/support/cli/terminal.ts";
import { runHere } from "../../../tests/support/cli/test-home.ts";
import type { ApprovalRequest, OpenClawConfig } from "../openclaw-api.ts";
import type { RunningPlugin } from "../running-plugin.ts";

// Servers are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

const owner = { channel: "telegram", senderId: "1001", senderIsOwner: true };
let calls = 0;

async function start(policy: object = {}): Promise<{ plugin: RunningPlugin; config: OpenClawConfig }> {
  const config: OpenClawConfig = {};
  const plugin = await startPlugin({ servers: { notes: notesServer() }, policy }, config);
  await plugin.command("servers", owner);
  await expect.poll(() => Object.keys(config.mcp?.servers ?? {})).toEqual(["notes"]);
  return { plugin, config };
}

/** What OpenClaw asks before an agent's call, and the arguments it then sends. */
async function announce(plugin: RunningPlugin, name: string) {
  const runId = `run_${++calls}`;
  const context = { agentId: "main", sessionKey: "agent:main:x", runId, requester: owner };
  const event = { toolName: "notes__write", toolCallId: `call_${calls}`, runId, params: { name } };
  const { params } = plugin.announce(event, context) ?? event;
  const decision = await plugin.askFirst({ ...event, params }, context);
  const asked: ApprovalRequest | undefined =
    decision !== undefined && "requireApproval" in decision ? decision.requireApproval : undefined;
  return { params, asked };
}

async function send(config: OpenClawConfig, args: object): Promise<string> {
  const { url, headers } = config.mcp?.servers?.["notes"] ?? {};
  const response = await fetch(String(url), {
    method: "POST",
    headers: {
      ...(headers as Record<string, string>),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "write", arguments: args } }),
  });
  return response.text();
}

test("the prompt shows the whole call, and what does not print is escaped", async () => {
  const { plugin, config } = await start();
  const { params, asked } = await announce(plugin, "a\u202eb");
  expect(asked?.description).toContain(String.raw`{"name":"a\u{202e}b"}`);
  expect(asked?.allowedDecisions).toEqual(["allow-once", "allow-always", "deny"]);
  asked?.onResolution("allow-once");
  expect(await send(config, params)).toContain("wrote a");
});

test("a call that the prompt can't show whole is not allowed there, but in a terminal", async () => {
  const { plugin, config } = await start();
  const name = `${"x".repeat(600)}hidden`;
  const { params, asked } = await announce(plugin, name);
  expect(asked?.allowedDecisions).toEqual(["deny"]);
  expect(asked?.description.length).toBeLessThanOrEqual(512);
  // Whatever OpenClaw makes of it, no answer of this prompt is a yes.
  for (const decision of ["allow-once", "allow-always"] as const) asked?.onResolution(decision);
  expect(await send(config, params)).toContain("needs approval");
  const [, id = ""] = /`clawport approve (\d+)`/.exec(asked?.description ?? "") ?? [];
  await approveCall(join(stateDir, "mcp"), id);
  const again = await announce(plugin, name);
  expect(again.asked).toBeUndefined();
  expect(await send(config, again.params)).toContain("hidden");
  expect((await announce(plugin, name)).asked?.allowedDecisions).toEqual(["deny"]);
});

/** `clawport approve` beside the gateway. */
function approve(id: string, flags: readonly string[] = [], world: Partial<World> = {}) {
  const env = { ...process.env, CLAWPORT_HOME: join(stateDir, "mcp") };
  const place = { folder: stateDir, home: join(stateDir, "mcp"), env, [Symbol.asyncDispose]: () => Promise.resolve() };
  return runHere(place, ["approve", id, ...flags], world);
}

const idIn = (asked: ApprovalRequest | undefined): string =>
  /`clawport approve (\d+)`/.exec(asked?.description ?? "")?.[1] ?? "";

test.each([
  [{}, 77],
  [{ unattendedApprovals: true }, 0],
])("`clawport approve --yes` without a terminal goes by the plugin's configuration: %j", async (policy, exit) => {
  const { plugin } = await start(policy);
  const { asked } = await announce(plugin, `${"x".repeat(600)}hidden`);
  expect((await approve(idIn(asked), ["--yes"])).exit).toBe(exit);
});

test("with a hub beside the gateway, `clawport approve` shows a long call whole and allows it, and so does the console", async () => {
  const home = await openHome(join(stateDir, "mcp"));
  const hub = await openHub({
    home,
    configuration: { config: defaultConfig },
    env: process.env,
    log: pluginLog,
    version: "0",
    port: 0,
  });
  closeAfterTest(hub);
  const { plugin, config } = await start();
  // Longer than most bodies may be.
  const name = `${"x".repeat(200_000)}hidden`;
  const { params, asked } = await announce(plugin, name);
  expect(asked?.allowedDecisions).toEqual(["deny"]);
  expect(await send(config, params)).toContain("needs approval");
  const control = await controlAt(home.path);
  expect((await control.approvals.show({ id: idIn(asked) })).text).toContain(name);
  control.close();
  const terminal = openTerminal("a", "y");
  expect((await approve(idIn(asked), [], terminal.world)).exit).toBe(0);
  expect(terminal.shown().replaceAll("\n", "")).toContain("hidden");
  const again = await announce(plugin, name);
  expect(again.asked).toBeUndefined();
  expect(await send(config, again.params)).toContain("hidden");
});
