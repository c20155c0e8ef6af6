import { Fault, type FaultCode } from "../../core/fault.ts";
import type { RequestHeaders } from "../../core/http/request-headers.ts";
import { isRecord } from "../../core/is-record.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { orAborted } from "../../core/wait.ts";
import { missingTasks, tasksExtension } from "../messages/client-facts.ts";
import { RpcFault, type Params } from "../messages/json-rpc.ts";
import { checkParamHeaders } from "../messages/mirrored-headers.ts";
import type { Era } from "../messages/protocol-version.ts";
import { taskSupportOf } from "../messages/task.ts";
import { errorResult, type Tool, type ToolResult } from "../messages/tool.ts";
import type { SchemaChecker } from "../schema/schema-checker.ts";
import type { CompletionRequest, InnerCall, ListName, McpOffer, Requester, SkillOffer } from "./offer.ts";
import type { MethodHandler, ServedRequest } from "./served-request.ts";

const noParams: Params = {};

/** The methods that both eras have, for the features that the offer has. */
export function featureMethods(offer: McpOffer, checker: SchemaChecker): Map<string, MethodHandler> {
  const methods = new Map<string, MethodHandler>();
  const { tools, resources, prompts } = offer;

  if (tools) {
    methods.set("tools/list", (params, request) =>
      listSoon(() => listPage("tools", (request.peer.listedTools = tools.list(request)), params.cursor, request)),
    );
    methods.set("tools/call", (params, request, headers) => {
      const inner = tools.innerCall?.(params, request);
      if (inner) return callInner(inner, request);
      const name = stringParam(params, "name");
      const tool = tools.find(name, request);
      if (tool) return callFound(tool, params, request, headers);
      return whenArrived(name, request, () => {
        const late = tools.find(name, request);
        if (late) return callFound(late, params, request, headers);
        throw refuse(name, unknownTool(name), request);
      });
    });
    /** The headers mirror the arguments of the outer call. An unknown name is an argument that the model can correct. */
    const callInner = (inner: InnerCall, request: ServedRequest) => {
      const { name } = inner;
      const find = () => (tools.findInner ? tools.findInner(name, request) : tools.find(name, request));
      const tool = find();
      if (tool) return callFound(tool, inner, request, undefined);
      return whenArrived(name, request, () => {
        const late = find();
        if (late) return callFound(late, inner, request, undefined);
        return errorResult(refuse(name, unknownInnerTool(name, tools.hintFor?.(name)), request).message);
      });
    };
    const refuse = (name: string, fault: Fault, request: ServedRequest) => {
      tools.refused?.(name, fault, request);
      return fault;
    };
    const callFound = (tool: Tool, params: Params, request: ServedRequest, headers: RequestHeaders | undefined) => {
      const given = params.arguments ?? noParams;
      if (!isRecord(given)) throw new Fault("bad-params", '"arguments" must be an object.');
      const args = tools.readArguments === undefined ? given : tools.readArguments(tool, given);
      if (headers) checkParamHeaders(headers, tool, args);
      const needed = taskSupportOf(tool) === "required" ? missingTask(tool, request) : undefined;
      if (needed) throw refuse(tool.name, needed, request);
      if (tools.judgesArguments?.(tool)) return call(tool, args, request);
      const verdict = checker.check(tool.inputSchema, args);
      if (verdict instanceof Promise)
        return verdict.then((late) => (late.ok ? call(tool, args, request) : wrongArguments(tool, late.message)));
      return verdict.ok ? call(tool, args, request) : wrongArguments(tool, verdict.message);
    };
  }

  if (resources) {
    methods.set("resources/list", (params, request) =>
      listSoon(() => listPage("resources", resources.list(), params.cursor, request)),
    );
    methods.set("resources/templates/list", (params, request) =>
      listSoon(() => listPage("resourceTemplates", resources.templates(), params.cursor, request)),
    );
    methods.set("resources/read", (params, request) => resources.read(stringParam(params, "uri"), request));
  }

  if (prompts) {
    methods.set("prompts/list", (params, request) =>
      listSoon(() => listPage("prompts", prompts.list(), params.cursor, request)),
    );
    methods.set("prompts/get", (params, request) => {
      const name = stringParam(params, "name");
      return findPrompt(name)
        ? getPrompt(name, params, request)
        : whenArrived(name, request, () => getPrompt(name, params, request));
    });
    const findPrompt = (name: string) =>
      prompts.find ? prompts.find(name) : prompts.list().find((each) => each.name === name);
    const getPrompt = (name: string, params: Params, request: ServedRequest) => {
      const prompt = findPrompt(name);
      if (!prompt)
        throw new Fault("unknown-prompt", `Unknown prompt: ${quoted(name, 100)}. Use prompts/list to see the prompts.`);
      const args = params.arguments ?? noParams;
      if (!isRecord(args) || !Object.values(args).every((value) => typeof value === "string")) {
        throw new Fault("bad-params", "The arguments of a prompt must be strings.");
      }
      const required = prompts.judgesArguments?.(name) ? [] : prompt.arguments?.filter((argument) => argument.required);
      const missing = required?.find((argument) => !Object.hasOwn(args, argument.name));
      if (missing) throw new Fault("bad-params", `The prompt ${name} needs the argument ${quoted(missing.name, 100)}.`);
      return prompts.get(name, args as Record<string, string>, request);
    };
  }

  if (offer.skills) {
    const { skills } = offer;
    const listSkills = (cursor: unknown, request: ServedRequest) =>
      listSoon(() => listPage("skills", skills.list(), cursor, request));
    for (const [name, method] of skillMethods(skills, listSkills)) methods.set(name, method);
  }

  if (offer.complete) {
    const complete = offer.complete.bind(offer);
    methods.set("completion/complete", async (params, request) => {
      const { _meta: meta, ...completion } = await complete(completionParams(params), request);
      return meta === undefined ? { completion } : { completion, _meta: meta };
    });
  }
  return methods;

  /** Many clients read the lists only once, right after the hub has started. */
  function listSoon(list: () => object): object | Promise<object> {
    return offer.arriving?.()?.then(list) ?? list();
  }

  function whenArrived<T>(name: string, request: ServedRequest, run: () => T): T | Promise<Awaited<T>> {
    const arrival = offer.arriving?.(name);
    return arrival === undefined ? run() : (orAborted(arrival, request.signal).then(run) as Promise<Awaited<T>>);
  }

  function listPage(name: ListName, items: readonly unknown[], cursor: unknown, request: ServedRequest): object {
    offer.onListed?.(request);
    const page = pageOf(name, items, cursor);
    const meta = offer.listMeta?.(name);
    return meta === undefined ? page : { ...page, _meta: meta };
  }

  async function call(tool: Tool, args: Params, request: ServedRequest): Promise<ToolResult> {
    try {
      return await tools!.call(tool, args, request);
    } catch (error) {
      if (request.cancelled || isProtocolFault(error, request)) throw error;
      return errorResult(error instanceof Error ? error.message : String(error));
    }
  }
}

function unknownInnerTool(name: string, hint = "Use search_tools to find the tool's name."): Fault {
  return new Fault("unknown-tool", `Unknown tool: ${quoted(name, 100)}. ${hint}`);
}

function unknownTool(name: string): Fault {
  return new Fault("unknown-tool", `Unknown tool: ${quoted(name, 100)}. Use tools/list to see the tools.`);
}

/** Each era has its own error for a tool that a client can't wait for. */
function missingTask({ name }: Tool, request: ServedRequest): Fault | undefined {
  if (request.isTask) return undefined;
  const message = `The tool ${name} runs only as a task.`;
  return request.era === "legacy" ? new Fault("unknown-method", message) : missingTasks(request.client, message);
}

/** SEP-1303: wrong arguments are reported as a result, so that the model sees the problem and can fix it. */
function wrongArguments(tool: Tool, message: string): ToolResult {
  return errorResult(`Wrong arguments for ${tool.name}: ${message}`);
}

const protocolFaults: ReadonlySet<FaultCode> = new Set(["internal", "unknown-tool", "bad-params", "cancelled"]);

/** A failing tool returns a result. These faults mean that no call took place, or that the server itself is broken. */
function isProtocolFault(error: unknown, request: ServedRequest): boolean {
  if (!(error instanceof Fault)) return false;
  if (error instanceof RpcFault) return true;
  return protocolFaults.has(error.code) || (error.code === "missing-capability" && request.callerEra === "modern");
}

function completionParams(params: Params): CompletionRequest {
  const { ref, argument, context } = params;
  const isNamed =
    isRecord(ref) &&
    ((ref.type === "ref/prompt" && typeof ref.name === "string") ||
      (ref.type === "ref/resource" && typeof ref.uri === "string"));
  if (!isNamed || !isRecord(argument) || typeof argument.name !== "string" || typeof argument.value !== "string") {
    throw new Fault(
      "bad-params",
      'completion/complete needs "ref" (a prompt or a resource) and "argument" with name and value.',
    );
  }
  // The rest belongs to this connection: `_meta` names the revision that the client speaks.
  return { ref, argument, ...(context === undefined ? {} : { context }) } as CompletionRequest;
}

function stringParam(params: Params, name: string): string {
  const value = params[name];
  if (typeof value !== "string") throw new Fault("bad-params", `"${name}" must be a string.`);
  return value;
}

/** The server capabilities, derived from the offer. */
export function capabilitiesOf(offer: McpOffer, era: Era): object {
  const listChanged = offer.onChange ? { listChanged: true } : {};
  return {
    ...(offer.tools ? { tools: listChanged } : {}),
    ...(offer.resources && offer.declares?.("resources") !== false
      ? { resources: { ...(offer.resources.watch ? { subscribe: true } : {}), ...listChanged } }
      : {}),
    ...(offer.prompts && offer.declares?.("prompts") !== false ? { prompts: listChanged } : {}),
    ...(offer.complete ? { completions: {} } : {}),
    logging: {},
    ...extensionsOf(offer, era),
  };
}

/** How to use the server, for the client that has just connected. */
export function instructionsOf(offer: McpOffer, requester: Requester): { readonly instructions?: string } {
  const instructions = offer.instructions?.(requester);
  return instructions === undefined ? {} : { instructions };
}

/** Tasks are an extension since 2026-07-28. The others are declared before it, too. */
function extensionsOf(offer: McpOffer, era: Era): object {
  const extensions = offer.extensions?.() ?? {};
  const all = era === "modern" ? { [tasksExtension]: {}, ...extensions } : extensions;
  return Object.keys(all).length === 0 ? {} : { extensions: all };
}

/** Many clients never request a second page, so one page holds more than any real list. */
const pageSize = 10_000;

/** One page of a list, with the cursor of the next page. */
function pageOf(name: string, items: readonly unknown[], cursor: unknown): object {
  const start = startOf(cursor, items.length);
  if (start === 0 && items.length <= pageSize) return { [name]: items };
  const end = start + pageSize;
  return { [name]: items.slice(start, end), ...(end < items.length ? { nextCursor: `from-${end}` } : {}) };
}

function startOf(cursor: unknown, length: number): number {
  if (cursor === undefined) return 0;
  const start = typeof cursor === "string" ? Number(/^from-(\d{1,9})$/.exec(cursor)?.[1] ?? "none") : Number.NaN;
  if (!(start <= length)) throw new Fault("bad-params", "This cursor is not valid. List again without a cursor.");
  return start;
}

/** The methods of the skills extension (SEP-2640) that are not those of resources. `listPage` is one page of the list. */
function skillMethods(
  skills: SkillOffer,
  listPage: (cursor: unknown, request: ServedRequest) => object | Promise<object>,
): readonly (readonly [string, MethodHandler])[] {
  return [
    ["skills/list", (params, request) => listPage(params.cursor, request)],
    ["skills/get", ({ uri }, request) => skills.get(uriOf(uri), request)],
    [
      "resources/directory/read",
      ({ uri, cursor }, request) => {
        if (cursor !== undefined && typeof cursor !== "string")
          throw new Fault("bad-params", '"cursor" must be a string.');
        return skills.readDirectory(uriOf(uri), cursor, request);
      },
    ],
  ];
}

function uriOf(uri: unknown): string {
  if (typeof uri !== "string") throw new Fault("bad-params", '"uri" must be a string.');
  return uri;
}
