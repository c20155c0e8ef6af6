import { compileGlobs } from "../../catalog/glob.ts";
import type { CallContext } from "../../catalog/call-context.ts";
import type { Source } from "../../catalog/source.ts";
import { Fault, isFault } from "../../core/fault.ts";
import type { CallOptions } from "../../mcp/client/mcp-client.ts";
import { stripEnvelope } from "../../mcp/messages/envelope.ts";
import type { Answer, Question } from "../../mcp/messages/interim-messages.ts";
import { type Params, RpcFault } from "../../mcp/messages/json-rpc.ts";
import { paramHeaders } from "../../mcp/messages/mirrored-headers.ts";
import type { GetPromptResult, ReadResourceResult } from "../../mcp/messages/resources-and-prompts.ts";
import type { Tool, ToolAnnotations, ToolResult } from "../../mcp/messages/tool.ts";
import type { Completion } from "../../mcp/server/offer.ts";
import { judgeRetry } from "./connection/judge-retry.ts";
import type { ServerDefinition } from "./definition.ts";
import type { SharedServer } from "./shared-servers.ts";

const headerMismatch = -32020;
const noCompletion: Completion = { values: [] };
/** Resources, prompts and completions only read. */
const readOnly: ToolAnnotations = { readOnlyHint: true };

/** Has a model answer a server. If the server asks during a call, the context is that of the call. */
export type SampleForServer = (server: string, question: Question, context: QuestionContext) => Promise<Answer>;

/** Where a server's question comes from. Without `ask` it belongs to no call, so there is no caller to ask. */
export type QuestionContext = Pick<CallContext, "signal" | "log"> & Partial<Pick<CallContext, "ask">>;

export interface ServerSourceOptions {
  readonly sample?: SampleForServer | undefined;
  /** The server is a hub: each call is forwarded on behalf of its client. */
  readonly isRelay?: boolean | undefined;
}

/** One server's tools, resources and prompts as a source of the catalog, under the names its definition gives them. */
export function createServerSource(
  definition: ServerDefinition,
  server: SharedServer,
  { sample, isRelay = false }: ServerSourceOptions,
): Source {
  const { connection, lists, watches, requestedLogLevel } = server;
  let shownFrom: readonly Tool[] | undefined;
  let shown: ShownTools;

  return {
    id: definition.name,
    kind: "server",
    trusted: definition.trusted,
    ...(definition.prefix === "" ? {} : { prefix: definition.prefix }),
    instructions: server.instructions,
    tools: () => current().tools,
    async call(name, args, context) {
      try {
        return await callTool(name, args as Params, context);
      } catch (error) {
        if (!(error instanceof RpcFault)) throw error;
        // A newer schema wants other headers. The server refused the call, so it did not run.
        if (error.error.code === headerMismatch) {
          await lists.refresh();
          return callTool(name, args as Params, context);
        }
        // The tool may be gone.
        if (error.error.code === -32602 || error.error.code === -32601) lists.refresh().catch(() => {});
        throw error;
      }
    },
    resources: () => lists.current().resources,
    resourceTemplates: () => lists.current().templates,
    readResource: async (uri, context) =>
      (await requestSafely("resources/read", { uri }, context, readOnly)) as unknown as ReadResourceResult,
    watchResource: (uri, listener) => watches.add(uri, listener),
    prompts: () => lists.current().prompts,
    getPrompt: async (name, args, context) =>
      (await requestSafely("prompts/get", { name, arguments: args }, context, readOnly)) as unknown as GetPromptResult,
    complete: async (request, context) =>
      ((await requestSafely("completion/complete", { ...request }, context, readOnly)).completion ??
        noCompletion) as Completion,
    onChange: server.onChange,
    close: server.leave,
  };

  function current(): ShownTools {
    const { tools } = lists.current();
    if (tools !== shownFrom) {
      shownFrom = tools;
      shown = showTools(tools, definition.tools);
    }
    return shown;
  }

  async function callTool(name: string, args: Params, context: CallContext): Promise<ToolResult> {
    const tool = current().find(name);
    if (!tool) throw new Fault("unknown-tool", `The server ${definition.name} has no tool ${JSON.stringify(name)}.`);
    const params = { name: tool.name, arguments: args };
    const result = await requestSafely("tools/call", params, context, tool.annotations, paramHeaders(tool, args));
    // Many servers report an unknown tool with a normal result.
    if (result.isError === true) lists.suspectStale();
    return result as unknown as ToolResult;
  }

  /** Sends a request, and repeats it once if that can do no harm. */
  async function requestSafely(
    method: string,
    params: Params,
    context: CallContext,
    annotations: ToolAnnotations | undefined,
    headers?: Record<string, string>,
  ): Promise<Params> {
    const options: CallOptions = {
      signal: context.signal,
      timeoutMs: definition.requestTimeoutMs,
      maxTotalMs: definition.maxTotalTimeoutMs,
      headers,
      logLevel: context.logLevel,
      as: isRelay ? onBehalfOf(context) : undefined,
      ...(context.traceparent === undefined ? {} : { meta: { traceparent: context.traceparent } }),
      onProgress: (progress) => context.progress(progress),
      onLog: (line) => context.tell(line),
      ask: (question) => answerServer(question, definition, sample, context),
    };
    requestedLogLevel.note(context.logLevel);
    for (let attempt = 1; ; attempt++) {
      try {
        return stripEnvelope(await connection.request(method, params, options));
      } catch (error) {
        if (context.signal.aborted || error instanceof RpcFault) throw error;
        const verdict = judgeRetry(error, annotations);
        if (verdict === "repeat" && attempt === 1) continue;
        if (verdict === "unknown") throw outcomeUnknown(error as Fault);
        throw isFault(error, "unavailable")
          ? new Fault("unavailable", `${definition.name}: ${error.message}`, { cause: error, detail: error.detail })
          : error;
      }
    }
  }

  /** Without extensions: whether a call becomes a task is decided where the client is connected. */
  function onBehalfOf({ client }: CallContext): CallOptions["as"] {
    if (!client) return undefined;
    const { name = "", version = "", capabilities } = client;
    return { info: { name, version }, capabilities: { ...capabilities, extensions: {} } };
  }

  function outcomeUnknown(fault: Fault): Fault {
    return new Fault(
      "outcome-unknown",
      `Outcome unknown: the call may or may not have run. ${fault.message} It was not repeated because ${definition.name} does not say that this is safe.`,
      { cause: fault },
    );
  }
}

/** Answers a question of a server: from its configuration, by asking the caller, or with a model. */
export async function answerServer(
  question: Question,
  definition: ServerDefinition,
  sample: SampleForServer | undefined,
  context: QuestionContext,
): Promise<Answer> {
  // Which folders a server may know is decided by the configuration, never by the caller.
  if (question.method === "roots/list") return { roots: definition.roots };
  try {
    if (context.ask) return await context.ask(question);
    throw new Fault("missing-capability", `No client is available to answer the question of ${definition.name}.`);
  } catch (error) {
    const maySample = question.method === "sampling/createMessage" && isFault(error, "missing-capability");
    if (!maySample || !sample) throw error;
    return sample(definition.name, question, context);
  }
}

/** A server's tools under the names and descriptions that the configuration gives them. */
export interface ShownTools {
  readonly tools: readonly Tool[];
  /** The tool behind a shown name, as the server lists it. */
  find(name: string): Tool | undefined;
}

export function showTools(all: readonly Tool[], rules: ServerDefinition["tools"]): ShownTools {
  const { include, exclude, rename, describe } = rules;
  const isIncluded = compileGlobs(include.length === 0 ? ["*"] : include);
  const isExcluded = compileGlobs(exclude);
  const byName = new Map<string, Tool>();
  const tools: Tool[] = [];
  for (const tool of all) {
    if (!isIncluded(tool.name) || isExcluded(tool.name)) continue;
    const name = Object.hasOwn(rename, tool.name) ? rename[tool.name]! : tool.name;
    // If two tools have the same name the first one counts, as it would at the server itself.
    if (byName.has(name)) continue;
    byName.set(name, tool);
    const description = Object.hasOwn(describe, tool.name) ? describe[tool.name] : undefined;
    const isUnchanged = name === tool.name && description === undefined;
    tools.push(isUnchanged ? tool : { ...tool, name, ...(description === undefined ? {} : { description }) });
  }
  return { tools, find: (name) => byName.get(name) };
}
