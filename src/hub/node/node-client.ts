import { Agent } from "node:http";
import { parseJson } from "../../core/json.ts";
import { Fault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { nonBlank } from "../../core/files/resolve-home.ts";
import { judgeAddress } from "../../core/http/addresses.ts";
import { requireTrustedHolder } from "../../core/http/port-holder.ts";
import { readText, sendHttp } from "../../core/http/send-http.ts";
import { createSocketAgent, type SocketPlace } from "../../core/http/socket-agent.ts";
import { asRecord } from "../../core/is-record.ts";
import { quoted, quotedPeerText } from "../../core/text/peer-text.ts";
import { Secret } from "../../core/secrets/secret.ts";
import { withDeadline } from "../../core/wait.ts";
import { mainTokenPath, readMainToken } from "../../doors/mcp/main-token.ts";
import type { Tool, ToolResult } from "../../mcp/messages/tool.ts";
import type { Host } from "../state/host.ts";
import { hubOf } from "../state/find-hub.ts";
import { findRunningHub, findRunningProcess } from "../state/hub-record.ts";

/** A running node, and the token to show it. */
export interface NodeTarget {
  readonly url: URL;
  /** How the node of this state folder is reached; undefined for any other. */
  readonly socket?: SocketPlace | undefined;
  /** Undefined if the node is elsewhere and no token was given for it. */
  readonly token: Secret | undefined;
}

export interface NodeTargetOptions {
  /** The address of a node; that of this state folder unless given. */
  readonly url?: string | undefined;
  readonly token?: string | undefined;
}

/** Where a node runs. The token of this computer is never sent to another, nor to another user of this one. */
export async function findNode(
  { env, log }: Pick<Host, "env" | "log">,
  home: Home,
  options: NodeTargetOptions,
): Promise<NodeTarget> {
  const token = nonBlank(options.token) ?? nonBlank(env["OPENCLAW_MCP_TOKEN"]);
  const given = token === undefined ? undefined : new Secret(token);
  if (options.url === undefined) return findOwnNode(home, given);
  const url = parseAddress(options.url);
  const readOwn = (): Secret | undefined => readMainToken(mainTokenPath({ home, env }), log);
  const running = await findRunningHub(home);
  if (running?.socket !== undefined && new URL(running.address).host === url.host)
    return { url, socket: { path: running.socket, home: home.path }, token: given ?? readOwn() };
  const advice = "Stop that program, or give the address of your node with `--url`.";
  const target = { host: url.hostname, port: Number(url.port || 80), what: "the node", advice };
  // A certificate says who answers over https.
  const isTrusted = url.protocol === "http:" && requireTrustedHolder(target) === "trusted";
  return { url, token: given ?? (isTrusted ? readOwn() : undefined) };
}

async function findOwnNode(home: Home, given: Secret | undefined): Promise<NodeTarget> {
  const running = await findRunningProcess(home);
  if (running === undefined) throw new Fault("unavailable", "No node is running. Run `clawport node` to start one.");
  const { address, pid } = running;
  if (address === undefined)
    throw new Fault(
      "unavailable",
      `The running node (PID ${pid}) takes no calls on this computer. Set \`machine.enableMcpServer: true\` and start it again.`,
    );
  const { socket, key } = hubOf({ ...running, address }, home, "relay");
  return { url: new URL(ownPath, address), socket, token: given ?? key };
}

/** Where hubs and nodes offer this computer. */
const ownPath = "/mcp/machine";
const notOffered =
  "The running hub does not offer the tools of this computer. Run `clawport node settings --offer on`.";

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

const maxAnswerBytes = 64 * 1024 * 1024;

/** Speaks plain JSON-RPC, as a script would: one request, one answer. */
export function createNodeClient(target: NodeTarget, timeoutMs: number, signal: AbortSignal): NodeClient {
  const { url, socket, token } = target;
  const agent = socket === undefined ? new Agent({ keepAlive: true }) : createSocketAgent(socket);
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
      const text = await readText(response, maxAnswerBytes);
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
    return asRecord(parseJson(text));
  } catch {
    throw new Fault("unavailable", `The node answered with status ${status}: ${quotedPeerText(text, 300)}`);
  }
}
