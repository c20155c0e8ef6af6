import { Fault, isFault } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import { quotedPeerText } from "../../../core/text/peer-text.ts";
import type { Cage } from "../../../core/process/cage/cage.ts";
import type { Env } from "../../../core/process/child-env.ts";
import type { Tail } from "../../../core/process/tail.ts";
import type { Authorizer } from "../../../mcp/client/authorizer.ts";
import { timeoutFault } from "../../../mcp/client/call-deadline.ts";
import { type ClientTransport, httpRefusalIn } from "../../../mcp/client/client-transport.ts";
import { negotiate } from "../../../mcp/client/handshake.ts";
import { type Agreement, type McpClient, openMcpClient } from "../../../mcp/client/mcp-client.ts";
import { tasksExtension } from "../../../mcp/messages/client-facts.ts";
import { hubExtensions } from "../../../mcp/messages/extensions.ts";
import type { Answer, Question } from "../../../mcp/messages/interim-messages.ts";
import { type Params, RpcFault } from "../../../mcp/messages/json-rpc.ts";
import type { OfferChange } from "../../../mcp/server/offer.ts";
import { type ServerDefinition, settingPath } from "../definition.ts";
import { ServerExit } from "../stdio/server-exit.ts";
import { createStdioTransport, type StdioTransport } from "../stdio/stdio-transport.ts";
import type { CallOptions } from "../../../mcp/client/call-options.ts";

export interface LinkOptions {
  readonly definition: ServerDefinition;
  /** Used in place of starting a stdio server. */
  readonly openTransport?: (() => ClientTransport) | undefined;
  /** What a stdio server can't see. */
  readonly cage?: Cage | undefined;
  readonly env: Env;
  readonly log: Log;
  readonly stderr: Tail;
  readonly version: string;
  /** What earlier links found out about the server. */
  readonly memory: DetectedProtocol;
  readonly authorizer?: Authorizer | undefined;
  readonly signal: AbortSignal;
  /** Answers questions that belong to no call. */
  ask(question: Question): Promise<Answer>;
  onListChanged(change: OfferChange): void;
  onResourceUpdated(uri: string): void;
  onElicitationComplete(elicitationId: string): void;
  onTaskStatus(params: Params): void;
  onLog(params: Params): void;
  /** The server may have forgotten the session. */
  onSessionDoubt(): void;
  /** `link` is undefined if it closed before `openLink` returned it. */
  onClose(link: Link | undefined, fault: Fault): void;
}

/** Kept per server across links, so that the protocol is detected only once. */
export interface DetectedProtocol {
  era?: "legacy" | "modern" | undefined;
  /** The server speaks HTTP+SSE of 2024-11-05. */
  sse?: boolean | undefined;
}

/** One open connection to a server, from the handshake until it breaks. */
export interface Link {
  readonly agreement: Agreement;
  readonly client: McpClient;
  sessionId(): string | undefined;
  pid(): number | undefined;
  request(method: string, params: Params, options: CallOptions): Promise<Params>;
  /** Closes it when its last request has ended. */
  retire(): void;
  /** Running requests fail with the fault. */
  close(fault?: Fault): Promise<void>;
}

const clientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {}, extensions: hubExtensions };
/** Of requests that name no others. A call that becomes a task is waited for. */
const modernCapabilities = { ...clientCapabilities, extensions: { ...hubExtensions, [tasksExtension]: {} } };

export async function openLink(options: LinkOptions): Promise<Link> {
  const { memory } = options;
  const isNew = memory.era === undefined && memory.sse === undefined;
  try {
    return await openAsKnown(options);
  } catch (error) {
    if (isNew) throw error;
    if (!isServerAnswer(error)) {
      // The program may be another version by now, which ends at the first message of the other era.
      if (options.definition.transport.kind === "stdio") memory.era = undefined;
      throw error;
    }
    // Another server may be running at that address by now, so detect everything again.
    memory.era = undefined;
    memory.sse = undefined;
    return openAsKnown(options);
  }
}

async function openAsKnown(options: LinkOptions): Promise<Link> {
  const { definition, memory } = options;
  if (definition.transport.kind === "stdio") return openProcess(options);
  const { openHttpTransport: openHttp, openSse } = await import("./http-transports.ts");
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
      // The first failure says what is wrong. The second only says that the server does not speak HTTP+SSE.
      throw new Fault((error as Fault).code, `${(error as Fault).message} (HTTP+SSE of 2024-11-05 failed too.)`, {
        cause,
        detail: (error as Fault).detail,
      });
    }
  }
}

/** Some servers exit if the first message is not `initialize`: these are started again and get that. */
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
  const setting = settingPath(definition, "connectTimeoutMs");
  const timeout = timeoutSignal(definition.connectTimeoutMs, setting);
  let client: McpClient | undefined;
  let link: Link | undefined;
  try {
    client = await openMcpClient(transport, {
      info,
      capabilities: modernCapabilities,
      log,
      signal: AbortSignal.any([options.signal, timeout.signal]),
      ask: options.ask,
      onSessionDoubt: options.onSessionDoubt,
      onClose: (fault) => options.onClose(link, fault),
      onNotification: (method, params) => dispatchNotification(method, params, options),
    });
    const agreement = await negotiate(client, transport, {
      info,
      capabilities: clientCapabilities,
      era: memory.era,
      only: definition.era === "auto" ? undefined : definition.era,
      timeoutMs: definition.connectTimeoutMs,
      setting,
      silenceMeansLegacy: definition.transport.kind === "stdio",
      signal: options.signal,
    });
    memory.era = agreement.era;
    return (link = createLink(client, transport, agreement));
  } catch (error) {
    await (client ?? transport).close();
    throw explainSilence(error, transport, definition);
  } finally {
    timeout.stop();
  }
}

/** A program that prints its own text, such as a web server, will not answer however long it is waited for. */
function explainSilence(
  error: unknown,
  transport: ClientTransport,
  { name, connectTimeoutMs }: ServerDefinition,
): unknown {
  const stray = "strayOutput" in transport ? (transport as StdioTransport).strayOutput() : undefined;
  if (stray === undefined || !isFault(error, "timeout")) return error;
  const what = `The server did not answer within ${connectTimeoutMs} ms and prints text that is not MCP on its stdout`;
  const cause = new ServerExit(
    `${what}: ${quotedPeerText(stray)}. Check its command: most servers need an option or another command to speak MCP.`,
  );
  return new Fault("timeout", `${what}. Run \`clawport status ${name}\` to see it.`, { cause });
}

function timeoutSignal(ms: number, setting: string): { readonly signal: AbortSignal; stop(): void } {
  const aborter = new AbortController();
  const timer = setTimeout(() => aborter.abort(timeoutFault(ms, setting)), ms);
  return { signal: aborter.signal, stop: () => clearTimeout(timer) };
}

function createLink(client: McpClient, transport: ClientTransport, agreement: Agreement): Link {
  return {
    agreement,
    client,
    sessionId: () => transport.sessionId,
    pid: () => ("pid" in transport ? (transport as StdioTransport).pid() : undefined),
    request: client.request,
    retire: client.retire,
    close: client.close,
  };
}

function dispatchNotification(method: string, params: Params, options: LinkOptions): void {
  const changed = /^notifications\/(tools|resources|prompts)\/list_changed$/.exec(method)?.[1];
  if (changed !== undefined) options.onListChanged(changed as OfferChange);
  else if (method === "notifications/resources/updated" && typeof params.uri === "string")
    options.onResourceUpdated(params.uri);
  else if (method === "notifications/elicitation/complete" && typeof params.elicitationId === "string")
    options.onElicitationComplete(params.elicitationId);
  else if (method === "notifications/tasks/status") options.onTaskStatus(params);
  else if (method === "notifications/message") options.onLog(params);
}

function openStdio({ definition, cage, env, stderr, log, openTransport }: LinkOptions): ClientTransport {
  if (openTransport) return openTransport();
  const { name, transport, maxMessageBytes } = definition;
  if (transport.kind !== "stdio") throw new Fault("internal", "not a stdio server");
  return createStdioTransport({ name, server: { ...transport, cage }, env, stderr, log, maxMessageBytes });
}

/** Whether the server answered, rather than being unreachable. */
function isServerAnswer(error: unknown): boolean {
  return error instanceof RpcFault || httpRefusalIn(error) !== undefined || isFault(error, "unsupported-version");
}

function mayBeSse(error: unknown): boolean {
  const status = httpRefusalIn(error)?.status;
  return status === 400 || status === 404 || status === 405 || status === 406;
}
