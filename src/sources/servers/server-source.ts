import type { CallContext } from "../../catalog/call-context.ts";
import { type PinnedParts, promptParts, toolParts } from "../../catalog/guard/pin-definition.ts";
import type { Source } from "../../catalog/source.ts";
import { compileOwnPatterns, findByOwnName } from "../../catalog/tool-pattern.ts";
import { Fault, isFault, toFault } from "../../core/fault.ts";
import { asRecord } from "../../core/is-record.ts";
import { isSameJson } from "../../core/is-same-json.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { orAborted } from "../../core/wait.ts";
import { hasTasks } from "../../mcp/messages/client-facts.ts";
import { legacyResourceNotFound, type Params, RpcFault } from "../../mcp/messages/json-rpc.ts";
import { paramHeaders } from "../../mcp/messages/mirrored-headers.ts";
import type { GetPromptResult, ReadResourceResult } from "../../mcp/messages/resources-and-prompts.ts";
import { taskSupportOf } from "../../mcp/messages/task.ts";
import type { Tool, ToolAnnotations, ToolResult } from "../../mcp/messages/tool.ts";
import type { Completion } from "../../mcp/server/offer.ts";
import { definitionIdentity, type ServerDefinition } from "./definition.ts";
import { followFirstConnection } from "./first-connection.ts";
import { isApiKeyNeeded, isSignInNeeded, withSignInAddress } from "./oauth/connection-auth.ts";
import { createSafeRequest, type SafeRequestOptions } from "./safe-request.ts";
import type { SharedServer } from "./shared-servers.ts";
import { createServerSkills } from "./skills/server-skills.ts";

const headerMismatch = -32020;
const noCompletion: Completion = { values: [] };
/** Resources, prompts and completions only read. */
const readOnly: ToolAnnotations = { readOnlyHint: true };

/** One server's tools, resources and prompts as a source of the catalog, under the names its definition gives them. */
export function createServerSource(
  definition: ServerDefinition,
  server: SharedServer,
  options: SafeRequestOptions,
): Source {
  const { lists, watches } = server;
  const requestSafely = createSafeRequest(definition, server, options);
  const { check: checkSkillFile, ...skills } = createServerSkills(definition.name, lists, (method, params, context) =>
    requestSafely(method, params, context, readOnly),
  );
  let identity: string | undefined;
  let shownFrom: readonly Tool[] | undefined;
  let shown: ShownTools;

  return {
    id: definition.name,
    kind: definition.kind ?? "server",
    identity: () => (identity ??= definitionIdentity(definition)),
    trusted: definition.trusted,
    judgesArguments: definition.checksArguments !== true,
    ...(definition.prefix === "" ? {} : { prefix: definition.prefix }),
    instructions: server.instructions,
    extensions: server.extensions,
    declares: server.declares,
    connecting: followFirstConnection(server),
    tools: () => current().tools,
    repeatedNames: () => current().repeated,
    asListed: (tool) => current().find(tool.name) ?? tool,
    async call(name, args, context) {
      try {
        const call = () => callTool(name, args as Params, context);
        const result = await (lists.isVerified() ? call() : callVerified(name, context, call));
        // Many servers report an unknown tool with a normal result.
        if (result.isError === true) lists.suspectStale();
        return result;
      } catch (error) {
        if (isSignInNeeded(error) && !isApiKeyNeeded(error)) throw await withAddress(toFault(error), context);
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
    listMeta: (list) => lists.meta()[list],
    resources: () => lists.current().resources,
    resourceTemplates: () => lists.current().templates,
    async readResource(uri, context) {
      try {
        const read = await requestSafely("resources/read", { uri }, context, readOnly);
        const result = read as unknown as ReadResourceResult;
        await checkSkillFile(uri, result, context);
        return result;
      } catch (error) {
        throw isNotFound(error, uri) ? new Fault("unknown-resource", error.message, { detail: { uri } }) : error;
      }
    },
    ...skills,
    watchResource: (uri, listener) => watches.add(uri, listener),
    prompts: () => lists.current().prompts,
    async getPrompt(name, args, context) {
      const get = async () =>
        (await requestSafely(
          "prompts/get",
          { name, arguments: args },
          context,
          readOnly,
        )) as unknown as GetPromptResult;
      if (lists.isVerified()) return get();
      const find = () => lists.current().prompts.find((prompt) => prompt.name === name);
      return whenVerified(`prompt ${quoted(name)}`, () => mapDefined(find(), promptParts), context, get);
    },
    async complete(request, context) {
      const result = await requestSafely("completion/complete", { ...request }, context, readOnly);
      const completion = (result.completion ?? noCompletion) as Completion;
      return result._meta === undefined ? completion : { ...completion, _meta: result._meta as Completion["_meta"] };
    },
    onChange: server.onChange,
    close: server.leave,
  };

  /**
   * The call was judged by a definition that an earlier process of the server listed. It is sent only if the server still
   * lists that one; another definition is left to the guard, which gets it with the next call.
   */
  async function whenVerified<T>(
    what: string,
    definition: () => PinnedParts | undefined,
    { signal }: CallContext,
    send: () => Promise<T>,
  ): Promise<T> {
    const before = definition();
    // So that the connection is not closed before the call is sent.
    const release = server.connection.hold();
    try {
      await connectAndList(signal);
      const now = definition();
      if (now !== undefined && !isSameJson(now, before)) throw changedFault(what);
      return await send();
    } finally {
      release();
    }
  }

  /** No call works before the user has signed in. */
  async function withAddress(fault: Fault, context: CallContext): Promise<Fault> {
    const url = await options.stepUp?.(definition.name, undefined, context);
    return url instanceof URL ? withSignInAddress(fault, url) : fault;
  }

  async function connectAndList(signal: AbortSignal): Promise<void> {
    try {
      await server.connection.openPatiently(signal);
      await orAborted(lists.verify(), signal);
    } catch (error) {
      if (signal.aborted || !isFault(error)) throw error;
      if (error instanceof RpcFault || error.code === "outcome-unknown")
        throw new Fault("unavailable", `${definition.name}: its lists could not be read: ${error.message}`, {
          cause: error,
        });
      throw error.code === "unavailable"
        ? new Fault("unavailable", `${definition.name}: ${error.message}`, { cause: error, detail: error.detail })
        : error;
    }
  }

  function changedFault(what: string): Fault {
    const message = `The server ${definition.name} has changed the definition of its ${what} since it was listed, so the call was not sent. List it again before you use it.`;
    return new Fault("conflict", message);
  }

  function current(): ShownTools {
    const { tools } = lists.current();
    if (tools !== shownFrom) {
      shownFrom = tools;
      shown = showTools(tools, definition, startsTasks());
    }
    return shown;
  }

  /** Whether the server may answer any call with a task (2026-07-28). A hub decides that where its client is connected. */
  function startsTasks(): boolean {
    const agreement = server.agreement();
    return options.isRelay !== true && agreement?.era === "modern" && hasTasks(agreement);
  }

  function callVerified(name: string, context: CallContext, call: () => Promise<ToolResult>): Promise<ToolResult> {
    return whenVerified(`tool ${quoted(name)}`, () => mapDefined(current().find(name), toolParts), context, call);
  }

  function callTool(name: string, args: Params, context: CallContext): Promise<ToolResult> {
    const tool = current().find(name);
    if (!tool) throw new Fault("unknown-tool", `The server ${definition.name} has no tool ${JSON.stringify(name)}.`);
    const params = { name: tool.name, arguments: args };
    const extras = { headers: paramHeaders(tool, args), taskSupport: taskSupportOf(tool) };
    return requestSafely(
      "tools/call",
      params,
      context,
      tool.annotations,
      extras,
    ) as Promise<object> as Promise<ToolResult>;
  }
}

function mapDefined<T, R>(value: T | undefined, map: (value: T) => R): R | undefined {
  return value === undefined ? undefined : map(value);
}

/** Whether the server says that it has no such resource: each era has its own number, which the door writes. */
function isNotFound(error: unknown, uri: string): error is RpcFault {
  if (!(error instanceof RpcFault)) return false;
  const { code, data } = error.error;
  // 2026-07-28 uses the number of other wrong parameters, too; only here it names the resource.
  return code === legacyResourceNotFound || (code === -32602 && asRecord(data).uri === uri);
}

/** A server's tools under the names and descriptions that the configuration gives them. */
export interface ShownTools {
  readonly tools: readonly Tool[];
  /** Names that more than one tool would have. The first tool has it, as it would at the server itself. */
  readonly repeated: readonly string[];
  /** The tool behind a shown name, as the server lists it. */
  find(name: string): Tool | undefined;
}

export function showTools(
  all: readonly Tool[],
  definition: Pick<ServerDefinition, "name" | "prefix" | "tools">,
  startsTasks = false,
): ShownTools {
  const { include, exclude, rename, describe } = definition.tools;
  const owner = { source: definition.name, prefix: definition.prefix };
  const isIncluded = compileOwnPatterns(include.length === 0 ? ["*"] : include, owner);
  const isExcluded = compileOwnPatterns(exclude, owner);
  const byName = new Map<string, Tool>();
  const tools: Tool[] = [];
  const repeated: string[] = [];
  for (const tool of all) {
    if (!isIncluded(tool.name) || isExcluded(tool.name)) continue;
    const name = findByOwnName(rename, tool.name, owner) ?? tool.name;
    if (byName.has(name)) {
      repeated.push(name);
      continue;
    }
    byName.set(name, tool);
    const description = findByOwnName(describe, tool.name, owner);
    const execution = executionOf(tool, startsTasks);
    const isUnchanged = name === tool.name && description === undefined && execution === tool.execution;
    tools.push(
      isUnchanged
        ? tool
        : { ...tool, name, ...(description === undefined ? {} : { description }), ...(execution && { execution }) },
    );
  }
  return { tools, repeated, find: (name) => byName.get(name) };
}

/**
 * A tool as a client of 2025-11-25 may call it: as a task or not, since a call that does not ask for a task waits for the
 * server's. That era has no other way to say so than a field of the tool.
 */
function executionOf(tool: Tool, startsTasks: boolean): Tool["execution"] {
  const mayBeTask = taskSupportOf(tool) === "required" || (startsTasks && tool.execution?.taskSupport === undefined);
  return mayBeTask ? { ...tool.execution, taskSupport: "optional" } : tool.execution;
}
