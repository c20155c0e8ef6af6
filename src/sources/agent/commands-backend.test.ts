import { describe, expect, test } from "vitest";
import { testSource, testTool } from "../../../tests/support/test-source.ts";
import { createCatalog } from "../../catalog/catalog.ts";
import type { Source } from "../../catalog/source.ts";
import { errorResult, textResult } from "../../mcp/messages/tool.ts";
import { createAgentTools } from "./agent-tools.ts";
import { createCommandsBackend, withCommands } from "./commands-backend.ts";
import { describeReplies, quietOptions } from "./reply-backend.contract.ts";
import type { ReplyBackend } from "./reply-backend.ts";
import { reachTool } from "../../catalog/guard/reach-source.ts";

const text = (words: string) => ({ type: "text" as const, text: words });
const image = { type: "image" as const, data: "cG5n", mimeType: "image/png" };

interface Bench {
  readonly source: Source;
  readonly running: Promise<void>;
  readonly stopped: Promise<void>;
}

function openBench(): Bench {
  const running = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const echo = testTool("echo", {
    description: "Says it again.\nTwice.",
    inputSchema: { type: "object", properties: { text: {}, loud: {} }, required: ["text"] },
  });
  const source = testSource({
    id: "bench",
    tools: [echo, "hang", "broken", "mixed"],
    async call(name, args, { signal }) {
      if (name === "mixed") return { content: [text("one"), text("two"), image, text("three")] };
      if (name === "broken") return errorResult("the disk is full");
      if (name === "hang") {
        signal.addEventListener("abort", () => stopped.resolve());
        running.resolve();
        return Promise.withResolvers<never>().promise;
      }
      return textResult(JSON.stringify(args));
    },
  });
  return { source, running: running.promise, stopped: stopped.promise };
}

function openBackend({ source }: Bench, mcp?: Parameters<typeof createCommandsBackend>[0]["mcp"]) {
  const catalog = createCatalog();
  catalog.add(source);
  catalog.add(testSource({ id: "agent", kind: "agent", tools: ["order_openclaw"] }));
  const tools = createAgentTools({
    view: catalog.view("all"),
    guard: { call: (tool, args, context) => reachTool(tool, args).run(context) },
  });
  return createCommandsBackend({
    tools: () => Promise.resolve(tools),
    mcp,
    waysToAnAgent: ["Start OpenClaw.", "Name a model."],
  });
}

async function say(message: string, mcp?: Parameters<typeof createCommandsBackend>[0]["mcp"]): Promise<string> {
  const backend = openBackend(openBench(), mcp);
  const { payloads } = await backend.getReply({ message, sessionKey: "k", attachments: [] }, quietOptions());
  return payloads.map(({ text }) => text).join();
}

describe("as a backend", () => {
  describeReplies(async () => {
    const bench = openBench();
    const backend = openBackend(bench);
    return {
      backend,
      quick: { message: '/call echo {"text":"hi"}', answer: '{"text":"hi"}' },
      slow: () => ({ message: "/call hang", running: bench.running, stopped: () => bench.stopped }),
      failing: { message: "/call broken {}", says: /the disk is full/ },
      [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
    };
  });
});

test("/tools lists each tool with its arguments, but not the order tool", async () => {
  expect(await say("/tools")).toBe("echo(text, loud?): Says it again.\nhang()\nbroken()\nmixed()");
  expect(await say("  /tools EC ")).toBe("echo(text, loud?): Says it again.");
  expect(await say("/tools nothing")).toBe('No tool has "nothing" in its name.');
});

test("free text is answered with the ways to get an agent", async () => {
  await expect(say("do my taxes")).rejects.toThrow(/1\. Start OpenClaw\.\n2\. Name a model\./);
});

test("the order tool can't be called", async () => {
  await expect(say('/call order_openclaw {"message":"x"}')).rejects.toMatchObject({ code: "unknown-tool" });
});

test.each([
  ["/nonsense", /no command "\/nonsense"/],
  ["/call", /Name the tool/],
  ["/call echo {", /not JSON/],
  ["/call echo []", /must be a JSON object/],
  ["/call nothing {}", /no tool "nothing"/],
  ["/mcp servers", /no servers here/],
])("%s is answered with what is wrong", async (message, says) => {
  await expect(say(message)).rejects.toThrow(says);
});

test("/mcp goes to its handler with the text after it", async () => {
  expect(await say("/mcp auth login x", async (args) => ({ text: `got ${args}` }))).toBe("got auth login x");
});

test("texts and media of a result keep their order", async () => {
  const backend = openBackend(openBench());
  const order = { message: "/call mixed", sessionKey: "k", attachments: [] };
  const { payloads } = await backend.getReply(order, quietOptions());
  expect(payloads).toMatchObject([{ text: "one\ntwo" }, { media: [{ mimeType: "image/png" }] }, { text: "three" }]);
});

test("a token that is limited to a view is offered its tools only", async () => {
  const backend = openBackend(openBench());
  const reply = (message: string, view: string) =>
    backend.getReply(
      { message, sessionKey: "k", attachments: [] },
      quietOptions({ caller: { door: "mcp-http", token: "phone", view } }),
    );
  expect((await reply("/tools", "agent")).payloads).toEqual([{ text: "There are no tools yet." }]);
  await expect(reply("/call echo {}", "agent")).rejects.toMatchObject({ code: "unknown-tool" });
  expect((await reply('/call echo {"text":"x"}', "bench")).payloads).toEqual([{ text: '{"text":"x"}' }]);
});

test.each([
  ["/mcp servers", "commands"],
  ["  /help ", "commands"],
  ["/helpless", "model"],
  ["/call x", "commands"],
  ["/tools", "commands"],
  ["/toolshed", "model"],
  ["what does /mcp do", "model"],
])("beside a model, %j is answered by the %s", async (message, name) => {
  const agent = (said: string): ReplyBackend => ({
    name: "model",
    getReply: async () => ({ payloads: [{ text: said }] }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
  const backend = withCommands(agent("model"), agent("commands"));
  const { payloads } = await backend.getReply({ message, sessionKey: "k", attachments: [] }, quietOptions());
  expect(payloads).toEqual([{ text: name }]);
});

test("beside a model, /help lists the commands that do not need it", async () => {
  const commands = createCommandsBackend({
    tools: () => Promise.reject(new Error("not needed")),
    mcp: async () => ({}),
    waysToAnAgent: [],
    hasModel: true,
  });
  const { payloads } = await commands.getReply({ message: "/help", sessionKey: "k", attachments: [] }, quietOptions());
  expect(payloads[0]?.text).toMatch(
    /^The model gets every message except these commands:\n\/mcp ….*\n\/tools .*\n\/call .*\n\/help/,
  );
});
