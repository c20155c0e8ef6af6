import { Fault } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import { type Agreement, type CallOptions, type McpClient, openMcpClient } from "../../mcp/client/client.ts";
import type { ClientTransport, HttpRefusal } from "../../mcp/client/client-transport.ts";
import { shakeHands } from "../../mcp/client/handshake.ts";
import { createHttpTransport } from "../../mcp/client/http-transport.ts";
import { createSseTransport } from "../../mcp/client/sse-transport.ts";
import type { Params } from "../../mcp/json-rpc.ts";
import type { OfferChange } from "../../mcp/offer.ts";
import type { Answer, Question } from "../../mcp/question.ts";
import type { ServerDefinition } from "./definition.ts";
import { createHttpAgent } from "./http-agent.ts";
import { createStdioTransport, type StdioTransport } from "./stdio/stdio-transport.ts";
import type { Tail } from "./tail.ts";

export interface LinkOptions {
  readonly definition: ServerDefinition;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly stderr: Tail;
  readonly version: string;
  /** What an earlier link found out about the server. */
  readonly memory: LinkMemory;
  readonly signal: AbortSignal;
  /** Answers questions that belong to no call. */
  ask(question: Question): Promise<Answer>;
  onListChanged(change: OfferChange): void;
  onResourceUpdated(uri: string): void;
  onLog(params: Params): void;
  onClose(fault: Fault): void;
}

/** Kept per server across links, so that each thing is found out once. */
export interface LinkMemory {
  era?: "legacy" | "modern" | undefined;
  /** The server speaks HTTP+SSE of 2024-11-05. */
  sse?: boolean | undefined;
}

/** One live connection to a server: agreed on, until it breaks. */
export interface Link {
  readonly agreement: Agreement;
  readonly client: McpClient;
  sessionId(): string | undefined;
  pid(): number | undefined;
  request(method: string, params: Params, options: CallOptions): Promise<Params>;
  close(): Promise<void>;
}

const clientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

export async function openLink(options: LinkOptions): Promise<Link> {
  const { definition, memory } = options;
  if (definition.transport.kind === "stdio") return connect(openStdio(options), options);
  if (memory.sse) return connect(openSse(options), options);
  try {
    return await connect(openHttp(options), options);
  } catch (error) {
    if (!mayBeSse(error)) throw error;
    try {
      const link = await connect(openSse(options), { ...options, memory: { ...memory, era: "legacy" } });
      memory.sse = true;
      return link;
    } catch (cause) {
      // The first answer is the one that tells what is wrong; the second way failing only says that it is no old server.
      throw new Fault(
        (error as Fault).code,
        `${(error as Fault).message} (HTTP+SSE of 2024-11-05 did not work either.)`,
        { cause, detail: (error as Fault).detail },
      );
    }
  }
}

async function connect(transport: ClientTransport, options: LinkOptions): Promise<Link> {
  const { definition, memory, log } = options;
  const info = { name: "clawport", version: options.version };
  let client: McpClient | undefined;
  try {
    client = await openMcpClient(transport, {
      info,
      capabilities: clientCapabilities,
      log,
      ask: options.ask,
      onClose: options.onClose,
      onNotification: (method, params) => note(method, params, options),
    });
    const agreement = await shakeHands(client, transport, {
      info,
      capabilities: clientCapabilities,
      era: definition.era === "auto" ? memory.era : definition.era,
      timeoutMs: definition.connectTimeoutMs,
      silenceMeansLegacy: definition.transport.kind === "stdio",
      signal: options.signal,
    });
    memory.era = agreement.era;
    return linkOf(client, transport, agreement);
  } catch (error) {
    await (client ?? transport).close();
    throw error;
  }
}

function linkOf(client: McpClient, transport: ClientTransport, agreement: Agreement): Link {
  return {
    agreement,
    client,
    sessionId: () => transport.sessionId,
    pid: () => ("pid" in transport ? (transport as StdioTransport).pid() : undefined),
    request: (method, params, callOptions) => client.request(method, params, callOptions),
    close: () => client.close(),
  };
}

function note(method: string, params: Params, options: LinkOptions): void {
  const changed = /^notifications\/(tools|resources|prompts)\/list_changed$/.exec(method)?.[1];
  if (changed !== undefined) options.onListChanged(changed as OfferChange);
  else if (method === "notifications/resources/updated" && typeof params.uri === "string")
    options.onResourceUpdated(params.uri);
  else if (method === "notifications/message") options.onLog(params);
}

function openStdio({ definition, env, stderr, log }: LinkOptions): ClientTransport {
  const { transport, maxMessageBytes } = definition;
  if (transport.kind !== "stdio") throw new Fault("internal", "not a stdio server");
  return createStdioTransport({ server: transport, env, stderr, log, maxMessageBytes });
}

function openHttp(options: LinkOptions): ClientTransport {
  return createHttpTransport(httpOptions(options));
}

function openSse(options: LinkOptions): ClientTransport {
  return createSseTransport(httpOptions(options));
}

function httpOptions({ definition, env, log }: LinkOptions) {
  const { transport, maxMessageBytes } = definition;
  if (transport.kind !== "http") throw new Fault("internal", "not an HTTP server");
  const { url, headers, apiKey, tls } = transport;
  const all = apiKey === undefined ? headers : { ...headers, authorization: `Bearer ${apiKey.reveal()}` };
  return { url, headers: () => all, agent: createHttpAgent(url, tls ?? {}, env), log, maxMessageBytes };
}

function mayBeSse(error: unknown): boolean {
  const status = error instanceof Fault ? (error.detail as Partial<HttpRefusal> | undefined)?.status : undefined;
  return status === 400 || status === 404 || status === 405 || status === 406;
}
