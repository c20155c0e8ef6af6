import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { program } from "../setup/programs.ts";

const main = program("src/cli/main.ts");

/** How a client starts the server. */
export function serverCommand(...args: readonly string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [main, "mcp-server", ...args] };
}

export interface StartedServer extends AsyncDisposable {
  readonly client: Client;
  readonly pid: number;
  /** Its state folder. */
  readonly home: string;
  order(args: Record<string, unknown>, signal?: AbortSignal): Promise<CallToolResult>;
  /** What it has written to stderr. */
  log(): string;
  /** Files of orders that were not removed. */
  leftovers(): Promise<readonly string[]>;
}

export interface StartOptions {
  /** Its state folder; by default a new one, which is removed with it. */
  readonly home?: string;
  readonly config?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** Makes a state folder with a configuration. */
export async function writeHome(home: string, config: object): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFile(join(home, "clawport.json5"), JSON.stringify(config));
}

/** Starts `clawport mcp-server` in a throw-away home, with the official client at the other end of the pipe. */
export async function startMcpServer(options: StartOptions = {}): Promise<StartedServer> {
  const folder = await mkdtemp(join(tmpdir(), "mcp-server-"));
  const { home = join(folder, "clawport"), config, env, args = [] } = options;
  if (config !== undefined) await writeHome(home, config);
  const transport = new StdioClientTransport({
    ...serverCommand("--home", home, ...args),
    // An unused port, so that an OpenClaw that happens to run here can't answer.
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, OPENCLAW_GATEWAY_PORT: "1", ...env },
    stderr: "pipe",
  });
  let log = "";
  transport.stderr?.on("data", (text: Buffer) => (log += text.toString()));
  const client = new Client({ name: "test-client", version: "1" });
  await client.connect(transport);
  return {
    client,
    pid: transport.pid!,
    home,
    log: () => log,
    async order(given, signal) {
      const options = { timeout: 50_000, ...(signal === undefined ? {} : { signal }) };
      const result = await client.callTool({ name: "order_openclaw", arguments: given }, undefined, options);
      return result as CallToolResult;
    },
    leftovers: () => readdir(join(home, "agent", "incoming")).catch(() => []),
    async [Symbol.asyncDispose]() {
      await client.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function textOf(result: CallToolResult): string {
  return result.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
