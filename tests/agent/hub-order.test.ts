import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { defaultConfig } from "../../src/core/config/find-config.ts";
import { type Home, openHome } from "../../src/core/files/home.ts";
import { createLiveLog } from "../../src/core/log.ts";
import { megabyte } from "../../src/core/text/size-text.ts";
import { type Hub, openHub } from "../support/open-hub.ts";
import { textResult } from "../../src/mcp/messages/tool.ts";
import { modernParams, modernVersion, type Wire, withTasks } from "../support/mcp/messages.ts";
import { testSource } from "../support/test-source.ts";

let home: Home;
let hub: Hub;
let release: () => void;

beforeEach(async () => {
  home = await openHome(await mkdtemp(join(tmpdir(), "hub-order-")));
  const released = new Promise<void>((resolve) => (release = resolve));
  hub = await openHub({
    home,
    configuration: { config: { ...defaultConfig, agent: { ...defaultConfig.agent, taskAfterMs: 0 } } },
    env: { OPENCLAW_GATEWAY_PORT: "1" },
    log: createLiveLog({ level: "error", format: "human", write: () => {} }),
    version: "1.2.3",
    port: 0,
    sources: [
      testSource({ id: "notes", tools: ["add"] }),
      testSource({ id: "slow", tools: ["hold"], call: () => released.then(() => textResult("released")) }),
    ],
  });
});
afterEach(async () => {
  release();
  await hub.close();
  await rm(home.path, { recursive: true, force: true });
});

async function order(path: string, args: object): Promise<Response> {
  return post(path, { method: "tools/call", params: { name: "order_openclaw", arguments: args } });
}

async function post(path: string, message: object, headers: Record<string, string> = {}): Promise<Response> {
  const token = (await readFile(hub.tokenPath, "utf8")).trim();
  return fetch(`${hub.url}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
  });
}

test("the tool is in the hub's catalog, and its commands reach the hub's other tools", async () => {
  const answer = await (await order("", { message: "/call add {}" })).text();
  expect(answer).toContain('"text":"add"');
  expect(await (await order("", { message: "/tools" })).text()).not.toContain("order_openclaw(");
});

test("the agent's view accepts large media, the whole catalog does not", async () => {
  const files = [{ data: Buffer.alloc(15 * megabyte, "a").toString("base64"), mimeType: "text/plain" }];
  const taken = await order("/agent", { message: "/help", files });
  expect(await taken.text()).toContain('"isError":false');
  expect((await order("", { message: "/help", files })).status).toBe(413);
  expect(await readdir(home.file("agent", "incoming"))).toEqual([]);
});

test("an order becomes a task after the configured time, other calls do not", async () => {
  const other = callKnowingTasks("hold", {});
  expect(await callKnowingTasks("order_openclaw", { message: "/call hold {}" })).toMatchObject({ resultType: "task" });
  release();
  expect(await other).toMatchObject({ content: [{ text: "released" }] });
});

async function callKnowingTasks(name: string, args: object): Promise<unknown> {
  const params = modernParams({ name, arguments: args }, { capabilities: withTasks });
  const headers = { "mcp-protocol-version": modernVersion, "mcp-method": "tools/call", "mcp-name": name };
  const answer = (await (await post("", { method: "tools/call", params }, headers)).json()) as Wire;
  return answer.result;
}
