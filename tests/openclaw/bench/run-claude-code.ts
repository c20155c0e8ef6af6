import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installPackage } from "../../../conformance/install-package.ts";

const claudeCodeVersion = "2.1.325";

export interface ClaudeCodeOptions {
  readonly modelUrl: string;
  /** As it stands in the client's configuration. */
  readonly server: Readonly<Record<string, unknown>>;
  /** The one tool it may use without asking. */
  readonly tool?: string;
  readonly prompt: string;
}

/** Large, so that a suite does it before its tests begin. */
export function installClaudeCode(): Promise<string> {
  return installPackage("@anthropic-ai/claude-code", claudeCodeVersion, "claude-code");
}

/** One turn of a real Claude Code in a throw-away home, with our server as its only one; gives what it printed. */
export async function runClaudeCode(options: ClaudeCodeOptions): Promise<string> {
  const { modelUrl, server, prompt, tool = "order_openclaw" } = options;
  const installed = await installClaudeCode();
  const home = await mkdtemp(join(tmpdir(), "claude-code-"));
  try {
    const config = join(home, "mcp.json");
    await writeFile(config, JSON.stringify({ mcpServers: { openclaw: server } }));
    const child = spawn(
      process.execPath,
      [
        join(installed, "cli-wrapper.cjs"),
        "-p",
        prompt,
        "--mcp-config",
        config,
        "--strict-mcp-config",
        "--allowedTools",
        `mcp__openclaw__${tool}`,
      ],
      {
        cwd: home,
        env: {
          PATH: process.env["PATH"],
          HOME: home,
          ANTHROPIC_BASE_URL: modelUrl,
          ANTHROPIC_API_KEY: "any",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          DISABLE_TELEMETRY: "1",
          // The model is to see our tool at once, not to search for it first.
          ENABLE_TOOL_SEARCH: "false",
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let output = "";
    child.stdout.on("data", (text: Buffer) => (output += text.toString()));
    child.stderr.on("data", (text: Buffer) => (output += text.toString()));
    await once(child, "close");
    return output;
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
}
