import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type MockModel, startMockModel } from "../support/mock-model.ts";
import { modernParams, type Wire, withTasks } from "../support/mcp/messages.ts";
import { serverCommand, writeHome } from "../support/start-mcp-server.ts";

const sdkServer = resolve(import.meta.dirname, "../../bench/targets/sdk-stdio.ts");
const able = { capabilities: { ...withTasks, elicitation: {} } };

let folder = "";
let model: MockModel;
let child: ChildProcessWithoutNullStreams;
let ask: (method: string, params: object) => Promise<Wire>;

/** A server that turns every order into a task, and a client that supports tasks. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tasks-"));
  model = await startMockModel();
  const home = join(folder, "home");
  await writeHome(home, {
    servers: { sdk: { command: process.execPath, args: [sdkServer] } },
    agent: { taskAfterMs: 0, model: { name: "mock-1", url: model.baseUrl } },
    policy: { rules: [{ tool: "sdk__*", verdict: "ask", askClient: true }] },
  });
  const { command, args } = serverCommand("--home", home);
  const env = { PATH: process.env["PATH"], HOME: folder, OPENCLAW_GATEWAY_PORT: "1" };
  child = spawn(command, args, { env, stdio: "pipe" });
  child.stderr.resume();
  const answers = new Map<number, (answer: Wire) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const answer = JSON.parse(line) as Wire;
    if (typeof answer.id === "number") answers.get(answer.id)?.(answer);
  });
  let id = 0;
  ask = (method, params) =>
    new Promise((settle) => {
      answers.set(++id, settle);
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params: modernParams(params, able) })}\n`);
    });
});
afterEach(async () => {
  child.stdin.end();
  if (child.exitCode === null) await once(child, "exit");
  await model[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function startTask(args: object): Promise<string> {
  const { result } = await ask("tools/call", { name: "order_openclaw", arguments: args });
  expect(result).toMatchObject({ resultType: "task", status: "working" });
  return result.taskId;
}

/** Polls as a client does, until the task has another status. */
async function pollWhile(status: string, taskId: string) {
  for (;;) {
    const { result } = await ask("tasks/get", { taskId });
    if (result.status !== status) return result;
    await sleep(20);
  }
}

test("an order becomes a task, whose result can be fetched", async () => {
  const files = [{ data: Buffer.alloc(200_000, "word ").toString("base64"), mimeType: "text/plain" }];
  const done = await pollWhile("working", await startTask({ message: "hello", sessionKey: "k", files }));
  expect(done).toMatchObject({
    status: "completed",
    result: { content: [{ text: expect.stringContaining("ECHO:") }], _meta: { "clawport/sessionKey": "k" } },
  });
  expect(JSON.stringify(model.requests[0])).toContain("word word word");
  expect(await readdir(join(folder, "home", "agent", "incoming"))).toEqual([]);
}, 60_000);

test("cancelling the task stops the agent", async () => {
  const hanging = model.nextHanging();
  const taskId = await startTask({ message: "hang" });
  const { closed } = await hanging;
  expect((await ask("tasks/get", { taskId })).result).toMatchObject({ status: "working" });
  await ask("tasks/cancel", { taskId });
  await closed;
  expect((await ask("tasks/get", { taskId })).result).toMatchObject({ status: "cancelled" });
}, 60_000);

test("a question during the order is a question of the task", async () => {
  const taskId = await startTask({ message: 'call:sdk__echo {"data":"approved"}' });
  const waiting = await pollWhile("working", taskId);
  expect(waiting).toMatchObject({ status: "input_required" });
  const [[key, question]] = Object.entries(waiting.inputRequests) as [[string, Wire]];
  expect(question.params.message).toContain("sdk__echo");
  await ask("tasks/update", { taskId, inputResponses: { [key]: { action: "accept", content: { answer: "once" } } } });
  const done = await pollWhile("working", taskId);
  expect(done).toMatchObject({ status: "completed", result: { content: [{ text: "GOT=approved" }] } });
}, 60_000);
