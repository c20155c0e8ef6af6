import { Fault, isFault } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import type { Authorizer } from "../../../mcp/client/authorizer.ts";
import type { ClientTransport, HttpRefusal } from "../../../mcp/client/client-transport.ts";
import { shakeHands } from "../../../mcp/client/handshake.ts";
import { createHttpTransport } from "../../../mcp/client/http-transport.ts";
import { type Agreement, type CallOptions, type McpClient, openMcpClient } from "../../../mcp/client/mcp-client.ts";
import { createSseTransport } from "../../../mcp/client/sse-transport.ts";
import type { Answer, Question } from "../../../mcp/messages/interim-messages.ts";
import { type Params, RpcFault } from "../../../mcp/messages/json-rpc.ts";
import type { OfferChange } from "../../../mcp/server/offer.ts";
import type { ServerDefinition } from "../definition.ts";
import { createStdioTransport, type StdioTransport } from "../stdio/stdio-transport.ts";
import type { Tail } from "../stdio/tail.ts";
import { createHttpAgent } from "./http-agent.ts";

export interface LinkOptions {
  readonly definition: ServerDefinition;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly stderr: Tail;
  readonly version: string;
  /** What an earlier link found out about the server. */
  readonly memory: LinkMemory;
  readonly authorizer?: Authorizer | undefined;
  readonly signal: AbortSignal;
  /** Answers questions that belong to no call. */
  ask(question: Question): Promise<Answer>;
  onListChanged(change: OfferChange): void;
  onResourceUpdated(uri: string): void;
  onLog(params: Params): void;
  /** `link` is what it was to whoever opened it; nothing while it was still being opened. */
  onClose(link: Link | undefined, fault: Fault): void;
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
  /** Closes it when the last request on it has ended. */
  retire(): void;
  /** Requests that are under way fail with the fault. */
  close(fault?: Fault): Promise<void>;
}

const clientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

export async function openLink(options: LinkOptions): Promise<Link> {
  const { memory } = options;
  const isNew = memory.era === undefined && memory.sse === undefined;
  try {
    return await openAsKnown(options);
  } catch (error) {
    if (isNew || !isServerAnswer(error)) throw error;
    // Another server may stand at the old address by now, so that what was found out is true no more.
    memory.era = undefined;
    memory.sse = undefined;
    return openAsKnown(options);
  }
}

async function openAsKnown(options: LinkOptions): Promise<Link> {
  const { definition, memory } = options;
  if (definition.transport.kind === "stdio") return openProcess(options);
  if (memory.sse) return connectTransport(openSse(options), options);
  try {
    return await connectTransport(openHttp(options), options);
  } catch (error) {
    if (definition.era === "modern" || !mayBeSse(error)) throw error;
    try {
      const link = await connectTransport(openSse(options), { ...options, memory: { era: "legacy" } });
      memory.sse = true;
      memory.era = "legacy";
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

/** Some servers end at once when the first message they get is not `initialize`: they are started again and get that. */
async function openProcess(options: LinkOptions): Promise<Link> {
  const { definition, memory, signal } = options;
  try {
    return await connectTransport(openStdio(options), options);
  } catch (error) {
    const mayBeOld = definition.era === "auto" && memory.era === undefined && isFault(error, "outcome-unknown");
    if (!mayBeOld || signal.aborted) throw error;
    const link = await connectTransport(openStdio(options), { ...options, memory: { era: "legacy" } });
    memory.era = "legacy";
    return link;
  }
}

async function connectTransport(transport: ClientTransport, options: LinkOptions): Promise<Link> {
  const { definition, memory, log } = options;
  const info = { name: "clawport", version: options.version };
  const late = timeoutSignal(definition.connectTimeoutMs);
  let client: McpClient | undefined;
  let link: Link | undefined;
  try {
    client = await openMcpClient(transport, {
      info,
      capabilities: clientCapabilities,
      log,
      signal: AbortSignal.any([options.signal, late.signal]),
      ask: options.ask,
      onClose: (fault) => options.onClose(link, fault),
      onNotification: (method, params) => dispatchNotification(method, params, options),
    });
    const agreement = await shakeHands(client, transport, {
      info,
      capabilities: clientCapabilities,
      era: memory.era,
      only: definition.era === "auto" ? undefined : definition.era,
      timeoutMs: definition.connectTimeoutMs,
      silenceMeansLegacy: definition.transport.kind === "stdio",
      signal: options.signal,
    });
    memory.era = agreement.era;
    return (link = createLink(client, transport, agreement));
  } catch (error) {
    await (client ?? transport).close();
    throw error;
  } finally {
    late.stop();
  }
}

function timeoutSignal(ms: number): { readonly signal: AbortSignal; stop(): void } {
  const aborter = new AbortController();
  const timer = setTimeout(() => aborter.abort(new Fault("timeout", `The server did not answer within ${ms} ms.`)), ms);
  return { signal: aborter.signal, stop: () => clearTimeout(timer) };
}

function createLink(client: McpClient, transport: ClientTransport, agreement: Agreement): Link {
  let requests = 0;
  let isRetired = false;
  const link: Link = {
    agreement,
    client,
    sessionId: () => transport.sessionId,
    pid: () => ("pid" in transport ? (transport as StdioTransport).pid() : undefined),
    async request(method, params, callOptions) {
      requests++;
      try {
        return await client.request(method, params, callOptions);
      } finally {
        if (--requests === 0 && isRetired) void link.close();
      }
    },
    retire() {
      isRetired = true;
      if (requests === 0) void link.close();
    },
    close: (fault) => client.close(fault),
  };
  return link;
}

function dispatchNotification(method: string, params: Params, options: LinkOptions): void {
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

function httpOptions({ definition, env, log, authorizer }: LinkOptions) {
  const { transport, maxMessageBytes } = definition;
  if (transport.kind !== "http") throw new Fault("internal", "not an HTTP server");
  const { url, headers, apiKey, tls } = transport;
  const all = apiKey === undefined ? headers : { ...headers, authorization: `Bearer ${apiKey.reveal()}` };
  const agent = createHttpAgent(url, tls ?? {}, env);
  return { url, headers: () => all, authorizer, agent, log, maxMessageBytes };
}

/** Whether somebody was there to say no. */
function isServerAnswer(error: unknown): boolean {
  if (!(error instanceof Fault)) return false;
  const { status } = (error.detail ?? {}) as Partial<HttpRefusal>;
  return error instanceof RpcFault || status !== undefined || error.code === "unsupported-version";
}

function mayBeSse(error: unknown): boolean {
  const status = error instanceof Fault ? (error.detail as Partial<HttpRefusal> | undefined)?.status : undefined;
  return status === 400 || status === 404 || status === 405 || status === 406;
}
