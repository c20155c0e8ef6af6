import { isRecord } from "../../src/core/is-record.ts";
import type { Outcome } from "./oracle.ts";

/** What the sender knows about its connection. */
export interface PeerFacts {
  /** The version that `initialize` agreed on, if any. */
  version: string | undefined;
  /** The `requestState` values that the server sent. */
  readonly states: ReadonlySet<unknown>;
}

type Params = Readonly<Record<string, unknown>>;

/** The errors one of which a request must get, and errors it may get although a result is allowed. */
interface Defects {
  readonly certain: Outcome[];
  readonly possible: Outcome[];
}

const versionKey = "io.modelcontextprotocol/protocolVersion";
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
const legacyVersions = new Set(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"]);
const logLevels = new Set(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]);
const tools = new Set(["echo", "strict", "fail", "ask", "task", "wait"]);
const mayAsk = new Set(["tools/call", "prompts/get", "resources/read"]);

/** The allowed answers to a well-formed request. */
export function judgeRequest(method: string, params: Params, peer: PeerFacts, inBatch: boolean): ReadonlySet<Outcome> {
  const defects: Defects = { certain: [], possible: [] };
  const meta = isRecord(params._meta) ? params._meta : {};
  const isModern = versionKey in meta || method === "server/discover" || method === "subscriptions/listen";
  const judge = features.get(method) ?? (isModern ? modernOnly : legacyOnly).get(method);
  if (judge === undefined) defects.certain.push(-32601);
  else judge(params, defects, isModern);
  // The modern era has no batches, and a batch must not contain `initialize`.
  if (inBatch && (isModern || method === "initialize")) defects.certain.push(-32600);
  if (isModern) judgeMeta(method, params, meta, peer, defects);
  if (method === "initialize" && !isModern && !inBatch) peer.version = negotiated(params.protocolVersion);
  return new Set<Outcome>(
    defects.certain.length > 0 ? [...defects.certain, ...defects.possible] : ["result", ...defects.possible],
  );
}

type Judge = (params: Params, defects: Defects, isModern: boolean) => void;

const list: Judge = ({ cursor }, { certain, possible }) => {
  if (cursor !== undefined) (typeof cursor === "string" ? possible : certain).push(-32602);
};

const nothing: Judge = () => {};

const features = mapOf({
  "tools/list": list,
  "resources/list": list,
  "resources/templates/list": list,
  "prompts/list": list,
  "tools/call": ({ name, arguments: args, task }, { certain, possible }, isModern) => {
    if (isRecord(task) && !isModern) possible.push(-32601);
    if (!tools.has(typeof name === "string" ? name : "")) certain.push(-32602);
    if (args === null) possible.push(-32602);
    else if (args !== undefined && !isRecord(args)) certain.push(-32602);
  },
  "resources/read": ({ uri }, { certain }, isModern) => {
    if (typeof uri !== "string") certain.push(-32602);
    else if (uri !== "fuzz://text" && uri !== "fuzz://watched") certain.push(isModern ? -32602 : -32002);
  },
  "prompts/get": ({ name, arguments: args }, { certain, possible }) => {
    if (name !== "plain" && name !== "needy") certain.push(-32602);
    if (args === null) possible.push(-32602);
    else if (args !== undefined && !isRecord(args)) certain.push(-32602);
    if (isRecord(args) && Object.values(args).some((each) => typeof each !== "string")) certain.push(-32602);
    if (name === "needy" && !(isRecord(args) && Object.hasOwn(args, "what"))) certain.push(-32602);
  },
  "completion/complete": ({ ref, argument }, { certain }) => {
    const isNamed =
      isRecord(ref) &&
      ((ref.type === "ref/prompt" && typeof ref.name === "string") ||
        (ref.type === "ref/resource" && typeof ref.uri === "string"));
    const isArgument = isRecord(argument) && typeof argument.name === "string" && typeof argument.value === "string";
    if (!isNamed || !isArgument) certain.push(-32602);
  },
});

const legacyOnly = mapOf({
  initialize: (_params, { possible }) => possible.push(-32602),
  ping: nothing,
  "logging/setLevel": ({ level }, { certain }) => {
    if (!logLevels.has(typeof level === "string" ? level : "")) certain.push(-32602);
  },
  "resources/subscribe": ({ uri }, { certain, possible }) => {
    if (typeof uri !== "string") certain.push(-32602);
    // The number of watches per client is limited.
    else possible.push(-32603, -32602);
  },
  "resources/unsubscribe": ({ uri }, { certain }) => {
    if (typeof uri !== "string") certain.push(-32602);
  },
  // No tool of the target can be called as a task of 2025-11-25, so every task id is unknown.
  "tasks/get": (_params, { certain }) => certain.push(-32602),
  "tasks/result": (_params, { certain }) => certain.push(-32602),
  "tasks/cancel": (_params, { certain }) => certain.push(-32602),
  "tasks/list": ({ cursor }, { certain }) => {
    if (cursor !== undefined) certain.push(-32602);
  },
});

const modernOnly = mapOf({
  "server/discover": nothing,
  // No task of the target outlives its call, so every task id is unknown or needs the extension.
  "tasks/get": (_params, { certain }) => certain.push(-32602, -32021),
  "tasks/cancel": (_params, { certain }) => certain.push(-32602, -32021),
  "tasks/update": (_params, { certain }) => certain.push(-32602, -32021),
});

function judgeMeta(
  method: string,
  params: Params,
  meta: Params,
  peer: PeerFacts,
  { certain, possible }: Defects,
): void {
  const version = meta[versionKey];
  if (typeof version !== "string") certain.push(-32602);
  else if (version !== "2026-07-28") certain.push(-32022);
  const capabilities = meta[capabilitiesKey];
  if (typeof capabilities !== "object" || capabilities === null) certain.push(-32602);
  else if (Array.isArray(capabilities)) possible.push(-32602);
  const asks = method === "tools/call" && params.name === "ask";
  const elicitation = isRecord(capabilities) ? capabilities.elicitation : undefined;
  if (asks) (isRecord(elicitation) ? possible : certain).push(-32021);
  if (params.inputResponses !== undefined && !isRecord(params.inputResponses)) {
    (mayAsk.has(method) ? certain : possible).push(-32602);
  }
  if (params.requestState !== undefined) {
    (mayAsk.has(method) && !peer.states.has(params.requestState) ? certain : possible).push(-32602);
  }
}

/** Not a plain object, because a method may be called `toString`. */
function mapOf(judges: Readonly<Record<string, Judge>>): ReadonlyMap<string, Judge> {
  return new Map(Object.entries(judges));
}

function negotiated(requested: unknown): string {
  return typeof requested === "string" && legacyVersions.has(requested) ? requested : "2025-11-25";
}
