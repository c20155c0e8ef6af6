import { Agent } from "node:http";
import { Fault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { isLoopbackHostname, judgeAddress } from "../../core/http/addresses.ts";
import { readText, sendHttp } from "../../core/http/send-http.ts";
import { asRecord } from "../../core/is-record.ts";
import { quoted, quotedPeerText } from "../../core/peer-text.ts";
import { Secret } from "../../core/secrets/secret.ts";
import { withDeadline } from "../../core/wait.ts";
import { mainTokenPath, readMainToken } from "../../doors/mcp/main-token.ts";
import type { Tool, ToolResult } from "../../mcp/messages/tool.ts";
import type { Host } from "../host.ts";
import { findRunningProcess } from "../hub-record.ts";

/** A running node, and the token to show it. */
export interface NodeTarget {
  readonly url: URL;
  /** Undefined if the node is elsewhere and no token was given for it. */
  readonly token: Secret | undefined;
}

export interface NodeTargetOptions {
  /** The address of a node; that of this state folder unless given. */
  readonly url?: string | undefined;
  readonly token?: string | undefined;
}

/** Where a node runs. The token of this computer is never sent to another. */
export async function findNode(
  { env, log }: Pick<Host, "env" | "log">,
  home: Home,
  options: NodeTargetOptions,
): Promise<NodeTarget> {
  const url = options.url === undefined ? await findOwnNode(home) : parseAddress(options.url);
  const given = options.token ?? env["OPENCLAW_MCP_TOKEN"];
  if (given !== undefined && given !== "") return { url, token: new Secret(given) };
  if (!isLoopbackHostname(url.hostname)) return { url, token: undefined };
  return { url, token: readMainToken(mainTokenPath({ home, env }), log) };
}

async function findOwnNode(home: Home): Promise<URL> {
  const running = await findRunningProcess(home);
  if (running === undefined) throw new Fault("unavailable", "No node is running. Run `clawport node` to start one.");
  const { address, pid } = running;
  if (address === undefined)
    throw new Fault(
      "unavailable",
      `The running node (PID ${pid}) takes no calls on this computer. Set \`machine.enableMcpServer: true\` and start it again.`,
    );
  return new URL(ownPath, address);
}

/** Where hubs and nodes offer this computer. */
const ownPath = "/mcp/machine";
const notOffered =
  "The running hub does not offer the tools of this computer. Run `clawport node settings --offer on`, then start the hub again: `clawport stop`, `clawport up`.";

function parseAddress(address: string): URL {
  const problem = judgeAddress(address);
  if (problem !== undefined) throw new Fault("usage", `${quoted(address)} ${problem}.`);
  return new URL(address);
}

export interface NodeClient {
  tools(): Promise<readonly Tool[]>;
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult>;
  close(): void;
}

const mostAnswerBytes = 64 * 1024 * 1024;

/** Speaks plain JSON-RPC, as a script would: one request, one answer. */
export function createNodeClient({ url, token }: NodeTarget, timeoutMs: number, signal: AbortSignal): NodeClient {
  const agent = new Agent({ keepAlive: true });
  let lastId = 0;

  async function request(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params });
    const headers = {
      "content-type": "application/json",
      accept: "application/json",
      ...(token && { authorization: `Bearer ${token.reveal()}` }),
    };
    return withDeadline(timeoutMs, signal, async (ended) => {
      const response = await sendHttp({ url, method: "POST", headers, body, agent, signal: ended });
      const text = await readText(response, mostAnswerBytes);
      if (response.statusCode === 401)
        throw new Fault("unauthorized", `${url.host} needs a token. Give it with \`--token\`.`);
      if (response.statusCode === 404 && url.pathname === ownPath) throw new Fault("unavailable", notOffered);
      const { result, error } = parseAnswer(text, response.statusCode);
      if (error !== undefined) throw new Fault("unavailable", quotedPeerText(String(asRecord(error)["message"]), 500));
      return asRecord(result);
    });
  }

  return {
    async tools() {
      const { tools } = await request("tools/list", {});
      return Array.isArray(tools) ? (tools as Tool[]) : [];
    },
    call: async (name, args) => (await request("tools/call", { name, arguments: args })) as unknown as ToolResult,
    close: () => agent.destroy(),
  };
}

function parseAnswer(text: string, status: number | undefined): Readonly<Record<string, unknown>> {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    throw new Fault("unavailable", `The node answered with status ${status}: ${quotedPeerText(text, 300)}`);
  }
}
