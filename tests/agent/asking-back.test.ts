import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeGateway, startFakeGateway } from "../support/fake-gateway.ts";
import { until } from "../support/until.ts";
import { serverCommand } from "../support/start-mcp-server.ts";

let folder = "";
let gateway: FakeGateway;

/** `run <command>` requests approval for the command and answers with the decision. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "asking-back-"));
  gateway = await startFakeGateway(({ method, params }, { emit, finish }) => {
    if (method === "exec.approval.resolve") setImmediate(() => finish(params.id, `decided ${params.decision}`));
    const [, command] = method === "chat.send" ? (/^run (.*)/.exec(params.message) ?? []) : [];
    if (command === undefined) return undefined;
    const runId: string = params.idempotencyKey;
    setImmediate(() => emit("exec.approval.requested", { id: runId, request: { runId, command } }, "exec-approvals"));
    return { runId, status: "accepted" };
  });
});
afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function order(mode: "legacy" | "auto", capabilities: object): Promise<{ text: string; asked: string[] }> {
  const client = new Client({ name: "v2", version: "1" }, { capabilities, versionNegotiation: { mode } });
  const asked: string[] = [];
  if ("elicitation" in capabilities)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { decision: "allow-once" } };
    });
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder };
  const server = serverCommand("--home", join(folder, "home"), "--gateway", gateway.url, "--token", "t");
  await client.connect(new StdioClientTransport({ ...server, env }));
  try {
    const { content } = await client.callTool({ name: "order_openclaw", arguments: { message: "run make clean" } });
    return { text: JSON.stringify(content), asked };
  } finally {
    await client.close();
  }
}

test.each(["legacy", "auto"] as const)(
  "an approval request of OpenClaw reaches the client as a form (%s)",
  async (mode) => {
    const { text, asked } = await order(mode, { elicitation: { form: {} } });
    expect(asked).toEqual(["OpenClaw wants to run a command:\nmake clean"]);
    expect(text).toContain("decided allow-once");
  },
  60_000,
);

test("a client without forms leaves approvals to OpenClaw's other clients", async () => {
  const running = order("auto", {});
  running.catch(() => {});
  await until(() => gateway.requests.some(({ method }) => method === "chat.send"), "an order", 30_000);
  expect(gateway.caps().flat()).toEqual(["tool-events"]);
  gateway.finish(gateway.requests.find(({ method }) => method === "chat.send")!.params.idempotencyKey, "elsewhere");
  expect((await running).text).toContain("elsewhere");
}, 60_000);
