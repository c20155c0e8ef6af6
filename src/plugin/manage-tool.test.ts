import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { approveCall } from "../../tests/support/approve-call.ts";
import { notesServer, startPlugin, stateDir } from "../../tests/support/start-plugin.ts";
import type { ApprovalRequest, CallerContext, Decision, RunRequester, ToolCallEvent } from "./openclaw-api.ts";
import { manageTool } from "./calls/openclaw-tools.ts";
import type { RunningPlugin } from "./running-plugin.ts";

// Servers are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

const owner = { channel: "telegram", senderId: "1001", senderIsOwner: true };
const other = { channel: "telegram", senderId: "2002", senderIsOwner: false };

interface UseOptions {
  readonly agent?: string;
  readonly from?: RunRequester;
  readonly answer?: Decision;
}

interface Used {
  readonly text: string;
  readonly asked: ApprovalRequest | undefined;
}

let calls = 0;

/** What OpenClaw does when an agent calls `mcp_manage`: policy, hook, the person's answer, then the tool. */
async function use(
  plugin: RunningPlugin,
  command: string,
  { agent = "main", from = owner, answer = "allow-once" }: UseOptions = {},
): Promise<Used> {
  const runId = `run_${++calls}`;
  const context: CallerContext = { agentId: agent, sessionKey: `agent:${agent}:x`, runId, requester: from };
  const event: ToolCallEvent = { toolName: manageTool, toolCallId: `call_${calls}`, runId, params: { command } };
  const { params } = plugin.announce(event, context) ?? { params: { command } };
  const decision = await plugin.askFirst({ ...event, params }, context);
  const asked = decision !== undefined && "requireApproval" in decision ? decision.requireApproval : undefined;
  asked?.onResolution(answer);
  return { text: await plugin.manage(params), asked };
}

const lastCalls = async (count: number): Promise<readonly unknown[]> => {
  const lines = (await readFile(join(stateDir, "mcp", "audit", "calls.jsonl"), "utf8")).trim().split("\n");
  return lines.slice(-count).map((line) => JSON.parse(line) as unknown);
};

test("an agent sees and uses its own servers only", async () => {
  const plugin = await startPlugin({
    servers: { notes: notesServer(), mail: notesServer() },
    agents: { work: { servers: ["notes"] } },
  });
  const work = { agent: "work" };
  expect((await use(plugin, "servers", work)).text).toMatch(/1 configured[\s\S]*notes/);
  const tools = (await use(plugin, "tools", work)).text;
  expect(tools).toContain("notes__read");
  expect(tools).not.toContain("mail__");
  for (const command of ['call mail__write {"name":"x"}', "logs mail", "disconnect mail", "auth mail", "status mail"])
    expect((await use(plugin, command, work)).text).not.toMatch(/wrote|disconnected/i);
  expect((await use(plugin, "servers")).text).toContain("2 configured");
  expect((await use(plugin, 'call notes__write {"name":"x"}', work)).text).toContain("wrote x");
  await plugin.close();
  const who = { agent: "work", sender: "telegram:1001" };
  expect(await lastCalls(2)).toMatchObject([
    { ...who, tool: "notes__write" },
    { ...who, tool: manageTool },
  ]);
});

test("the rules of the agent that used it apply", async () => {
  const plugin = await startPlugin({
    servers: { notes: notesServer() },
    policy: { rules: [{ source: "notes", agent: "work", verdict: "deny" }] },
  });
  expect((await use(plugin, 'call notes__write {"name":"x"}', { agent: "work" })).text).toContain("denied");
  expect((await use(plugin, 'call notes__write {"name":"x"}')).text).toContain("wrote x");
});

test("what changes or reveals something is the owner's, and needs the owner's approval", async () => {
  const plugin = await startPlugin({ servers: { notes: notesServer() } });
  const changing = ["connect http://127.0.0.1:9/mcp", "disconnect notes", "auth notes", "refresh", "logs notes"];
  for (const command of [...changing, 'call notes__read {"name":"x"}']) {
    const { text, asked } = await use(plugin, command, { from: other });
    expect(text).toMatch(/^Only the owner/);
    expect(asked).toBeUndefined();
  }
  expect((await use(plugin, "servers", { from: other })).text).toContain("MCP Servers");
  const { text, asked } = await use(plugin, "logs notes", { answer: "deny" });
  expect(text).toContain("needs approval");
  expect(asked?.description).toContain('{"command":"logs notes"}');
  const odd = await use(plugin, "logs notes\n\u202eApproved", { answer: "deny" });
  expect(odd.asked?.title).toBe(String.raw`Run /mcp logs notes\n\u{202e}Approved`);
  expect((await use(plugin, "logs notes")).text).not.toMatch(/^Only/);
});

test("an approval is for the very command and call that was shown", async () => {
  const plugin = await startPlugin({ servers: { notes: notesServer() } });
  const context: CallerContext = { agentId: "main", sessionKey: "agent:main:x", runId: "run", requester: owner };
  const event = { toolName: manageTool, toolCallId: "call", runId: "run", params: { command: "logs notes" } };
  const { params = {} } = plugin.announce(event, context) ?? {};
  const decision = await plugin.askFirst({ ...event, params }, context);
  if (decision !== undefined && "requireApproval" in decision) decision.requireApproval.onResolution("allow-once");
  expect(await plugin.manage({ ...params, command: "disconnect notes" })).toContain("needs approval");
  // The ticket is used up.
  expect(await plugin.manage(params)).toMatch(/^Only the owner/);
});

test("without a ticket no one is the owner, whatever the call claims", async () => {
  const plugin = await startPlugin({ servers: { notes: notesServer() } });
  expect(await plugin.manage({ command: "servers" })).toContain("MCP Servers");
  expect(await plugin.manage({ command: "disconnect notes", _clawport: "A".repeat(22) })).toMatch(/^Only the owner/);
});

test("a command that the prompt can't show whole is not allowed there, but in a terminal", async () => {
  const plugin = await startPlugin({ servers: { notes: notesServer() } });
  const command = `call notes__write {"name":"${"x".repeat(600)}hidden"}`;
  const { text, asked } = await use(plugin, command);
  expect(asked?.allowedDecisions).toEqual(["deny"]);
  expect(asked?.description.length).toBeLessThanOrEqual(512);
  expect(text).toContain("needs approval");
  const [, id = ""] = /`clawport approve (\d+)`/.exec(asked?.description ?? "") ?? [];
  await approveCall(join(stateDir, "mcp"), id);
  const again = await use(plugin, command);
  expect(again.asked).toBeUndefined();
  expect(again.text).toContain("hidden");
});
