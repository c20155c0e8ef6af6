import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { silentLog } from "../../src/core/log.ts";
import { openBackend } from "../../src/hub/engine/open-agent.ts";
import type { Answer, Question } from "../../src/mcp/messages/interim-messages.ts";
import type { ToolResult } from "../../src/mcp/messages/tool.ts";
import { createAgentSource } from "../../src/sources/agent/agent-source.ts";
import type { ChosenBackend } from "../../src/sources/agent/reply-backend.ts";
import { testContext } from "../support/test-source.ts";
import { openBench, type OpenClawBench } from "./bench/open-bench.ts";

let plugin = "";
let bench: OpenClawBench;
let backend: ChosenBackend;

/** A plugin that requires approval for one of OpenClaw's own tools. */
async function writePlugin(folder: string): Promise<void> {
  const manifest = {
    id: "asker",
    name: "Asker",
    activation: { onStartup: true },
    configSchema: { type: "object", additionalProperties: false },
  };
  const entry = `export default {
    id: "asker",
    name: "Asker",
    register(api) {
      api.on("before_tool_call", ({ toolName }) =>
        toolName === "session_status"
          ? { requireApproval: { title: "Look at the session", description: "It shows what it costs", severity: "info" } }
          : undefined);
    },
  };`;
  const facts = {
    name: "asker",
    version: "0.0.1",
    type: "module",
    openclaw: { extensions: ["./index.mjs"], compat: { pluginApi: ">=2026.9.0" } },
  };
  await writeFile(join(folder, "openclaw.plugin.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "package.json"), JSON.stringify(facts));
  await writeFile(join(folder, "index.mjs"), entry);
}

beforeAll(async () => {
  plugin = await mkdtemp(join(tmpdir(), "asker-plugin-"));
  await writePlugin(plugin);
  bench = await openBench({
    config: {
      tools: { toolSearch: false, exec: { mode: "ask" } },
      plugins: {
        allow: ["asker"],
        slots: { memory: "none" },
        load: { paths: [plugin] },
        entries: { asker: { enabled: true } },
      },
    },
  });
  backend = openBackend({
    config: { backend: "gateway", id: "main" },
    sessionsFolder: join(bench.folder, "sessions"),
    world: { env: bench.env, homedir: bench.folder },
    flags: {},
    log: silentLog,
    tools: () => Promise.reject(new Error("not needed")),
    modelTools: () => Promise.reject(new Error("not needed")),
  });
});
afterAll(async () => {
  await backend?.[Symbol.asyncDispose]();
  await bench?.[Symbol.asyncDispose]();
  await rm(plugin, { recursive: true, force: true });
});

interface Ordered {
  readonly text: string;
  readonly asked: readonly Question[];
}

async function order(message: string, answer: (question: Question) => Promise<Answer>): Promise<Ordered> {
  const source = createAgentSource({ getReply: backend.getReply, locksFolder: join(bench.folder, "turns") });
  const asked: Question[] = [];
  const context = testContext({ ask: (question) => (asked.push(question), answer(question)) });
  const result: ToolResult = await source.call("order_openclaw", { message }, context);
  const text = result.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  return { text, asked };
}

const decide = (decision: string) => async (): Promise<Answer> => ({ action: "accept", content: { decision } });
const noOne = () => Promise.reject(new Error("no one can be asked"));

describe("a command that needs approval", () => {
  const message = 'call:exec {"command":"expr 40 + 2"}';

  test("is passed to the caller, and runs once it is allowed", async () => {
    const { text, asked } = await order(message, decide("allow-once"));
    expect(asked).toMatchObject([{ params: { message: expect.stringContaining("expr 40 + 2") } }]);
    expect(text).toMatch(/^GOT=.*42/s);
  });

  test("does not run if it is denied", async () => {
    const { text, asked } = await order(message, decide("deny"));
    expect(asked).toHaveLength(1);
    expect(text).toMatch(/denied/i);
  });

  test("does not run if no one can be asked, and the order is still answered", async () => {
    expect((await order(message, noOne)).text).toMatch(/denied/i);
  });
});

describe("a tool for which a plugin requires approval", () => {
  const message = "call:session_status {}";

  test("is passed to the caller with the plugin's title, and runs once it is allowed", async () => {
    const { text, asked } = await order(message, decide("allow-once"));
    expect(asked).toMatchObject([{ params: { message: expect.stringContaining("Look at the session") } }]);
    expect(text).toMatch(/^GOT=(?!.*denied)/is);
  });

  test("does not run if it is denied", async () => {
    const { text } = await order(message, decide("deny"));
    expect(text).toMatch(/denied/i);
  });
});
