import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AuditLine, parseAuditLine } from "../../src/catalog/audit/audit-line.ts";
import { openApprovals } from "../../src/catalog/guard/approvals.ts";
import type { Source } from "../../src/catalog/source.ts";
import { loadConfig } from "../../src/core/config/load-config.ts";
import { type Home, openHome } from "../../src/core/files/home.ts";
import { createLiveLog } from "../../src/core/log.ts";
import { addNamedToken } from "../../src/doors/mcp/named-tokens.ts";
import { hubFiles } from "../../src/hub/state/hub-files.ts";
import { type Hub, openHub } from "./open-hub.ts";
import type { Tool, ToolResult } from "../../src/mcp/messages/tool.ts";
import { until } from "./until.ts";

export interface StartedHub extends AsyncDisposable {
  readonly hub: Hub;
  readonly home: Home;
  /** The token of that name. Makes a new one if a view is given, or if there is none yet. */
  token(name: string, view?: string): Promise<string>;
  /** Calls a tool at `/mcp` with the token of that name. */
  call(token: string, name: string, args: object): Promise<string>;
  /** The same with the token itself. */
  callWith(secret: string, name: string, args: object): Promise<string>;
  /** What `/mcp` lists for the token of that name. */
  list(token: string): Promise<readonly Tool[]>;
  /** Sends an order with the token of that name. */
  order(token: string, message: string, more?: object): Promise<string>;
  /** The audit's lines about a tool, oldest first, once there are as many; 1 unless given. */
  audit(tool: string, count?: number): Promise<readonly AuditLine[]>;
}

export interface StartHubOptions {
  readonly config?: object;
  readonly sources?: readonly Source[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A hub in this process, with a configuration file in a throw-away home. */
export async function startHub({ config = {}, sources = [], env = {} }: StartHubOptions): Promise<StartedHub> {
  const home = await openHome(await mkdtemp(join(tmpdir(), "callers-")));
  const path = home.file("clawport.json5");
  await writeFile(path, JSON.stringify(config));
  const world = { OPENCLAW_GATEWAY_PORT: "1", PATH: process.env["PATH"] ?? "", ...env };
  const loaded = await loadConfig({ path, env: world });
  const hub = await openHub({
    home,
    configuration: { config: loaded.config, file: { ...loaded, location: "state-folder" } },
    env: world,
    log: createLiveLog({ level: "error", format: "human", write: () => {} }),
    version: "1.2.3",
    port: 0,
    sources,
  });
  await hub.settled(10_000);
  const tokens = new Map([["main", (await readFile(hub.tokenPath, "utf8")).trim()]]);

  const started: StartedHub = {
    hub,
    home,
    async token(name, view) {
      const known = tokens.get(name);
      if (known !== undefined) return known;
      const made = (await addNamedToken({ home }, name, view === undefined ? {} : { view })).reveal();
      tokens.set(name, made);
      return made;
    },
    call: async (token, name, args) => started.callWith(await started.token(token), name, args),
    callWith: async (secret, name, args) => textOf(await post(secret, "tools/call", { name, arguments: args })),
    async list(token) {
      const { result } = await post(await started.token(token), "tools/list", {});
      return (result as unknown as { readonly tools: readonly Tool[] }).tools;
    },
    order: (token, message, more = {}) => started.call(token, "order_openclaw", { message, ...more }),
    audit: (tool, count) => readAuditOf(home.file("audit", "calls.jsonl"), tool, count),
    async [Symbol.asyncDispose]() {
      await hub.close();
      await rm(home.path, { recursive: true, force: true });
    },
  };
  return started;

  async function post(token: string, method: string, params: object): Promise<Answer> {
    const response = await fetch(hub.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const text = await response.text();
    const data = /^data: (\{.*"id":1.*\})$/m.exec(text)?.[1];
    return JSON.parse(data ?? text) as Answer;
  }
}

/** Approves the one call that waits, or was refused, as a person does with a command. */
export async function approveWaiting(home: Home): Promise<void> {
  const approvals = openApprovals({ file: hubFiles.approvals(home) });
  const { waiting } = await approvals.list();
  if (waiting.length !== 1) throw new Error(`${waiting.length} calls wait for approval`);
  await approvals.answer(waiting[0]!.id, "once");
}

/** The audit's lines about a tool, oldest first, once there are as many. */
export async function readAuditOf(file: string, tool: string, count = 1): Promise<readonly AuditLine[]> {
  let lines: readonly AuditLine[] = [];
  await until(async () => {
    const text = await readFile(file, "utf8").catch(() => "");
    lines = text
      .split("\n")
      .flatMap((line) => parseAuditLine(line) ?? [])
      .filter((line) => line.tool === tool);
    return lines.length >= count;
  }, `${count} lines about ${tool} in the audit`);
  return lines;
}

interface Answer {
  readonly result?: ToolResult;
  readonly error?: { readonly message: string };
}

function textOf({ result, error }: Answer): string {
  if (error !== undefined) return `RPC error: ${error.message}`;
  return (result?.content ?? []).map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}
