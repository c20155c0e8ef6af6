import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type StartedNode, startNode } from "../machine/start-node.ts";
import { until } from "../support/until.ts";
import { type GatewayChat, openChat } from "./bench/gateway-chat.ts";
import { openBench, type OpenClawBench } from "./bench/open-bench.ts";

let bench: OpenClawBench;
let started: StartedNode;
let nodeId = "";
let chat: GatewayChat;

/** A gateway whose agents may run commands on nodes, and a node whose owner lets the agent `main` run what it wants. */
beforeAll(async () => {
  bench = await openBench({ config: { tools: { toolSearch: false, exec: { mode: "full" } } } });
  const env = Object.fromEntries(Object.entries(bench.env).filter(([name]) => name.startsWith("OPENCLAW_")));
  started = await startNode({
    machine: { enableNodeMode: true, enableMcpServer: true },
    env,
    approvals: { version: 1, agents: { main: { security: "full", ask: "off" } } },
  });
  const { gatewayNode } = started.node.engine;
  nodeId = gatewayNode?.nodeId ?? "";
  await until(() => gatewayNode?.state().state === "connected", "the node to be connected", 120_000);
  chat = await openChat(bench.url, bench.token);
  const { pendingRequestId } = await chat.request<{ pendingRequestId: string }>("node.describe", { nodeId });
  const approve = [bench.program, "nodes", "approve", pendingRequestId];
  await promisify(execFile)(process.execPath, approve, { env: { ...bench.env } });
  const mayRun = async (): Promise<boolean> => {
    const { connected, commands } = await chat.request("node.describe", { nodeId });
    return connected === true && JSON.stringify(commands).includes("system.run");
  };
  await until(mayRun, "system.run to be in effect", 60_000);
});
afterAll(async () => {
  await chat?.[Symbol.asyncDispose]();
  await started?.[Symbol.asyncDispose]();
  await bench?.[Symbol.asyncDispose]();
});

test.for<[name: string, more: object]>([
  ["the time that OpenClaw gives a command by default", {}],
  ["more time than a command gets here", { timeoutSeconds: 601 }],
])("an agent runs a command on this computer with %s", async ([, more]) => {
  const args = { host: "node", node: nodeId, command: "expr 40 + 2", ...more };
  expect(await chat.say(`call:exec ${JSON.stringify(args)}`)).toMatch(/^GOT=.*\b42\b/s);
  const activity = started.node.engine.machine?.activity.list();
  expect(activity).toContainEqual(expect.objectContaining({ transport: "gateway", command: "system.run", ok: true }));
});
