import { beforeAll, describe, expect, test } from "vitest";
import { startMockAnthropic } from "../../openclaw/bench/mock-anthropic.ts";
import { installClaudeCode, runClaudeCode } from "../../openclaw/bench/run-claude-code.ts";
import { installServer } from "./install-server.ts";
import { openServe } from "./open-serve.ts";

beforeAll(async () => {
  await installClaudeCode();
  await installServer("everything");
}, 600_000);

const tool = "everything__get-sum";

describe("a real Claude Code uses a tool of a real server through clawport serve", { timeout: 120_000 }, () => {
  test("over stdio", async () => {
    const { command, program } = await installServer("everything");
    await using serve = await openServe({ everything: { command, args: [program] } });
    await using model = await startMockAnthropic(`mcp__openclaw__${tool}`, { a: 19, b: 23 });
    const { args, env } = serve.command;
    const server = { command: serve.command.command, args, env };
    const output = await runClaudeCode({ modelUrl: model.baseUrl, server, tool, prompt: "add" });
    expect([...model.tools]).toContain("mcp__openclaw__everything__echo");
    expect(output).toContain("The sum of 19 and 23 is 42");
  });

  test("over HTTP", async () => {
    const { command, program } = await installServer("everything");
    await using serve = await openServe({ everything: { command, args: [program] } });
    await using model = await startMockAnthropic(`mcp__openclaw__${tool}`, { a: 19, b: 23 });
    const { url, token } = await serve.reach();
    const server = { type: "http", url, headers: { Authorization: `Bearer ${token}` } };
    const output = await runClaudeCode({ modelUrl: model.baseUrl, server, tool, prompt: "add" });
    expect([...model.tools]).toContain("mcp__openclaw__everything__echo");
    expect(output).toContain("The sum of 19 and 23 is 42");
  });
});
