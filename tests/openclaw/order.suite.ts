import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { silentLog } from "../../src/core/log.ts";
import type { ToolResult } from "../../src/mcp/messages/tool.ts";
import { resolveGatewayAddress } from "../../src/openclaw/locate-gateway.ts";
import { openGateway } from "../../src/openclaw/open-gateway.ts";
import { createAgentSource } from "../../src/sources/agent/agent-source.ts";
import { createGatewayConversationStore } from "../../src/sources/agent/conversations/gateway-conversation-store.ts";
import { createGatewayBackend } from "../../src/sources/agent/gateway/gateway-backend.ts";
import type { ReplyBackend } from "../../src/sources/agent/reply-backend.ts";
import { describeReplies } from "../../src/sources/agent/reply-backend.contract.ts";
import { serverCommand, textOf as serverText, startMcpServer } from "../support/start-mcp-server.ts";
import { testContext } from "../support/test-source.ts";
import { startMockAnthropic } from "./bench/mock-anthropic.ts";
import { openBench, type OpenClawBench } from "./bench/open-bench.ts";
import { runClaudeCode } from "./bench/run-claude-code.ts";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

let bench: OpenClawBench;
let backend: ReplyBackend;
let order: (args: object, context?: ReturnType<typeof testContext>) => Promise<ToolResult>;

beforeAll(async () => {
  bench = await openBench();
  const address = await resolveGatewayAddress({ env: bench.env, homedir: bench.folder });
  backend = createGatewayBackend({ gateway: await openGateway({ address, log: silentLog, version: "0" }) });
  const locksFolder = join(bench.folder, "turns");
  const source = createAgentSource({ getReply: backend.getReply, locksFolder });
  order = (args, context = testContext()) => source.call("order_openclaw", args, context);
});

afterAll(async () => {
  await backend?.[Symbol.asyncDispose]();
  await bench?.[Symbol.asyncDispose]();
});

const textOf = (result: ToolResult): string =>
  result.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");

describe("as a backend", () => {
  describeReplies(async () => ({
    backend,
    quick: { message: "hello", answer: "ECHO:hello" },
    slow() {
      const hanging = bench.model.nextHanging();
      return { message: "hang", running: hanging, stopped: async () => (await hanging).closed };
    },
    failing: { message: "fail", says: /OpenClaw could not answer/ },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }));
});

test("an order is answered, and its meta names the run", async () => {
  const result = await order({ message: "what is up" });
  expect(textOf(result)).toBe("ECHO:what is up");
  expect(result.isError).toBe(false);
  expect(result._meta).toMatchObject({
    "clawport/runId": expect.any(String),
    "clawport/sessionKey": expect.stringMatching(/^mcp-/),
    "clawport/tokens": { input: 10, output: 5 },
  });
});

test("a session key continues its conversation, and keys that differ in case are different", async () => {
  await order({ message: "my colour is blue", sessionKey: "Colours" });
  expect(textOf(await order({ message: "recall", sessionKey: "Colours" }))).toContain("my colour is blue");
  expect(textOf(await order({ message: "recall", sessionKey: "colours" }))).toBe("EARLIER=");
});

test("an image reaches the model", async () => {
  const before = bench.model.requests.length;
  const result = await order({ message: "what is this", images: [{ data: png, mimeType: "image/png" }] });
  expect(result.isError).toBe(false);
  const asked = JSON.stringify(bench.model.requests.slice(before));
  expect(asked).toContain("image_url");
  expect(asked).toContain(png.slice(0, 60));
});

test("a picture and a document that the agent attaches come back as content", async () => {
  const picture = join(bench.folder, "workspace", "out.png");
  await writeFile(picture, Buffer.from(png, "base64"));
  const image = await order({ message: `attach:${picture}` });
  expect(image.content).toEqual([
    { type: "text", text: "Here it is" },
    { type: "image", mimeType: "image/png", data: png },
  ]);
  const report = join(bench.folder, "workspace", "report.pdf");
  const pdf = Buffer.from("%PDF-1.4\n%\u00E2\u00E3\n1 0 obj\n<<>>\nendobj\n");
  await writeFile(report, pdf);
  const document = await order({ message: `attach:${report}` });
  expect(document.content[1]).toMatchObject({
    type: "resource",
    resource: { mimeType: "application/pdf", blob: pdf.toString("base64") },
  });
});

test("an attachment that is too large for OpenClaw is named", async () => {
  const film = join(bench.folder, "workspace", "film.mp4");
  const content = Buffer.alloc(20 * 1_048_576 + 1, 1);
  content.write("\0\0\0\x18ftypmp42", "latin1");
  await writeFile(film, content);
  const text = textOf(await order({ message: `attach:${film}` }));
  expect(text).toContain(`[The agent attached ${film}, but OpenClaw did not deliver it`);
});

test("a transcript reaches the model in place of the audio", async () => {
  const before = bench.model.requests.length;
  const transcriber = { transcribe: async () => "buy milk and bread" };
  const locksFolder = join(bench.folder, "turns");
  const source = createAgentSource({ getReply: backend.getReply, locksFolder, transcriber });
  const files = [{ data: Buffer.from("ID3 audio").toString("base64"), mimeType: "audio/mpeg", filename: "memo.mp3" }];
  const result = await source.call("order_openclaw", { message: "note", files }, testContext());
  expect(result.isError).toBe(false);
  const asked = JSON.stringify(bench.model.requests.slice(before));
  expect(asked).toContain("buy milk and bread");
});

test("attachments too large for one request are staged where the gateway reads them", async () => {
  const before = bench.model.requests.length;
  const content = Buffer.alloc(10 * 1_048_576, "a");
  const file = (filename: string) => ({ data: content.toString("base64"), mimeType: "text/plain", filename });
  const result = await order({ message: "two files", files: [file("one.txt"), file("two.txt")] });
  expect(result.isError).toBe(false);
  const asked = JSON.stringify(bench.model.requests.slice(before));
  expect(asked).toMatch(/media:\/\/inbound\/one---/);
  const [, staged = ""] = /media:\/\/inbound\/(two---[\w-]+\.txt)/.exec(asked) ?? [];
  const { size } = await stat(join(bench.folder, "state", "media", "inbound", staged));
  expect(size).toBe(content.length);
});

test("a path outside the agent's folders is not opened", async () => {
  const result = await order({ message: "attach:/etc/hostname" });
  expect(JSON.stringify(result.content)).not.toContain('"type":"resource"');
});

test("a slash command is carried out without asking the model", async () => {
  const before = bench.model.requests.length;
  const result = await order({ message: "/whoami" });
  expect(result.isError).toBe(false);
  expect(textOf(result)).not.toContain("ECHO");
  expect(bench.model.requests).toHaveLength(before);
});

test("what the agent says before it uses a tool is part of the answer, and the tool is named in the meta", async () => {
  const result = await order({ message: "say Let me look then call:session_status {}" });
  expect(textOf(result)).toMatch(/^Let me look[\s\S]*GOT=/);
  expect(result._meta).toMatchObject({ "clawport/tools": ["session_status"] });
});

describe("a question of the agent", () => {
  const question = {
    id: "colour",
    header: "Colour",
    question: "Which?",
    options: [{ label: "Blue" }, { label: "Red" }],
  };
  const message = `call:ask_user ${JSON.stringify({ questions: [question] })}`;

  test("is passed to the client, and its answer reaches the agent", async () => {
    const asked: unknown[] = [];
    const context = testContext({
      ask: async (form) => {
        asked.push(form);
        return { action: "accept", content: { colour: "Red" } };
      },
    });
    expect(textOf(await order({ message }, context))).toContain("Colour: Red");
    expect(asked).toMatchObject([{ method: "elicitation/create", params: { mode: "form", message: "Which?" } }]);
  });

  test("is withdrawn if no one can be asked, and the agent goes on", async () => {
    expect(textOf(await order({ message }))).toMatch(/GOT=.*cancelled/);
  });
});

test("conversations are listed, shown and deleted where OpenClaw keeps them", async () => {
  await order({ message: "note this down", sessionKey: "Notes" });
  const address = await resolveGatewayAddress({ env: bench.env, homedir: bench.folder });
  const gateway = await openGateway({ address, log: silentLog, version: "0" });
  const store = createGatewayConversationStore(gateway, undefined, new AbortController().signal);
  try {
    const found = await store.find("Notes");
    expect((await store.list()).map(({ key }) => key)).toContain(found?.key);
    expect(found?.said.map(({ text }) => text).join("\n")).toMatch(/note this down[\s\S]*ECHO:note this down/);
    expect(await store.remove("Notes")).toBe(true);
    expect(await store.find("Notes")).toBeUndefined();
    expect(await store.remove("Notes")).toBe(false);
  } finally {
    await gateway.close();
  }
});

test("progress notices say what the agent does", async () => {
  const messages: (string | undefined)[] = [];
  const context = { ...testContext(), progress: ({ message }: { message?: string }) => void messages.push(message) };
  await order({ message: "hello" }, context);
  expect(messages).toContain("writing");
});

describe("through clawport mcp-server", () => {
  test("a conversation goes on in another process, and orders on one key wait for each other", async () => {
    const home = join(bench.folder, "shared-home");
    await using first = await startMcpServer({ env: bench.env, home });
    await using second = await startMcpServer({ env: bench.env, home });
    const replies = await Promise.all([
      first.order({ message: "one", sessionKey: "shared" }),
      second.order({ message: "two", sessionKey: "shared" }),
    ]);
    expect(replies.map(serverText).toSorted()).toEqual(["ECHO:one", "ECHO:two"]);
    const recalled = serverText(await second.order({ message: "recall", sessionKey: "shared" }));
    expect(recalled).toMatch(/EARLIER=(one\|two|two\|one)/);
  });

  test("a client that goes away takes its unfinished order with it", async () => {
    const hanging = bench.model.nextHanging();
    await using server = await startMcpServer({ env: bench.env });
    const ended = server.order({ message: "hang" }).then(serverText, () => "gone");
    const { closed } = await hanging;
    await server.client.close();
    await closed;
    // The client may be gone before the error reaches it, or after.
    expect(await ended).toMatch(/^gone$|The call may or may not have completed/);
  });

  test("cancelling a call stops the agent", async () => {
    const hanging = bench.model.nextHanging();
    await using server = await startMcpServer({ env: bench.env });
    const cancel = new AbortController();
    const call = server.order({ message: "hang" }, cancel.signal).catch(() => "cancelled");
    const { closed } = await hanging;
    cancel.abort();
    await closed;
    expect(await call).toBe("cancelled");
  });

  test("a real Claude Code hands over an order and reads the answer", async () => {
    const tool = "mcp__openclaw__order_openclaw";
    await using model = await startMockAnthropic(tool, { message: "greetings from afar" });
    const home = join(bench.folder, "claude-home");
    const { command, args } = serverCommand("--home", home);
    const env = { ...bench.env };
    const output = await runClaudeCode({ modelUrl: model.baseUrl, server: { command, args, env }, prompt: "go" });
    expect(output).toMatch(/FINAL .*tool_result.*ECHO:greetings from afar/);
    expect([...model.tools]).toEqual([tool]);
  });

  test("a wrong token is reported as such", async () => {
    const env = { ...bench.env, OPENCLAW_GATEWAY_URL: bench.url, OPENCLAW_GATEWAY_TOKEN: "wrong" };
    await using server = await startMcpServer({ env });
    const text = serverText(await server.order({ message: "x" }));
    expect(text).toMatch(/^Error: OpenClaw's gateway at .* rejected the credentials.*OPENCLAW_GATEWAY_TOKEN/);
  });
});

test("an order that runs when the gateway crashes says so, and later orders work", async () => {
  const hanging = bench.model.nextHanging();
  const lost = order({ message: "hang", sessionKey: "crash" });
  await hanging;
  await bench.kill();
  await bench.start();
  const result = await lost;
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(/^Error: The connection to OpenClaw's gateway was lost.*sessionKey "crash"/);
  expect(textOf(await order({ message: "still there", sessionKey: "after-crash" }))).toBe("ECHO:still there");
}, 420_000);
