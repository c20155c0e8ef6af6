import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { approveCall } from "../../../tests/support/approve-call.ts";
import { notesServer, startPlugin, stateDir } from "../../../tests/support/start-plugin.ts";
import type { ApprovalRequest, OpenClawConfig } from "../openclaw-api.ts";
import type { RunningPlugin } from "../running-plugin.ts";

// Servers are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

const owner = { channel: "telegram", senderId: "1001", senderIsOwner: true };
let calls = 0;

async function start(): Promise<{ plugin: RunningPlugin; config: OpenClawConfig }> {
  const config: OpenClawConfig = {};
  const plugin = await startPlugin({ servers: { notes: notesServer() } }, config);
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
