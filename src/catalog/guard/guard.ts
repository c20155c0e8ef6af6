import type { Policy } from "../../core/config/policy-config.ts";
import { Fault, type FaultCode, isFault, isFaultCode, toFault } from "../../core/fault.ts";
import { asRecord } from "../../core/is-record.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { visibleText } from "../../core/text/peer-text.ts";
import type { NamedSecret } from "../../core/text/shown-text.ts";
import type { CallMetrics } from "../../core/telemetry/clawport-metrics.ts";
import { cancelledBy } from "../../core/wait.ts";
import { RpcFault } from "../../mcp/messages/json-rpc.ts";
import type { GetPromptResult, ReadResourceResult } from "../../mcp/messages/resources-and-prompts.ts";
import type { GetSkillResult, ReadDirectoryResult } from "../../mcp/messages/skill.ts";
import { errorResult, type ToolResult } from "../../mcp/messages/tool.ts";
import type { Completion, CompletionRequest } from "../../mcp/server/offer.ts";
import type { Audit } from "../audit/audit.ts";
import type { CallContext } from "../call-context.ts";
import type { Caller } from "../caller.ts";
import type { CatalogTool, Unsubscribe } from "../source.ts";
import type { View } from "../view.ts";
import type { Approvals } from "./approvals.ts";
import { faultWithHint, withHint } from "./argument-mismatch.ts";
import type { Askers } from "./askers.ts";
import { type CallPreview, createCallAdmission } from "./call-admission.ts";
import { type CallDecision, createCallRecorder, type RefusedCall } from "./call-recorder.ts";
import { argumentsToStore } from "./describe-call.ts";
import { traitsOf } from "./judge-call.ts";
import { createGuardFlows } from "./findings/guard-flows.ts";
import type { Pins } from "./pins.ts";
import { createRateLimits, limitText } from "./rate-limits.ts";
import {
  type Operation,
  reachCompletion,
  type ReachedOperation,
  reachDirectory,
  reachPrompt,
  reachResource,
  reachSkill,
  reachTool,
  reachWatch,
} from "./reach-source.ts";
import { judgedFindings, screenAnswer, screenCall } from "./findings/screening.ts";

export interface GuardOptions {
  readonly policy: Policy;
  readonly approvals: Approvals;
  readonly pins: Pins;
  readonly askers: Askers;
  readonly audit: Audit;
  readonly metrics?: CallMetrics | undefined;
  readonly log?: Log | undefined;
  /** The values that the configuration took from variables: people see them by name. */
  readonly secrets?: (() => readonly NamedSecret[]) | undefined;
  /** Whether the audit has the arguments of each call. */
  readonly keepsArguments?: boolean | undefined;
  /** Why no call may run now; undefined while calls may. */
  readonly pausedBecause?: (() => string | undefined) | undefined;
  /** Milliseconds since the epoch. */
  readonly clock?: (() => number) | undefined;
  /** How long a person has to answer; 120,000 unless given. */
  readonly askTimeoutMs?: number | undefined;
}

/** The only way from a door to a source: judges every call before it runs, and writes it to the audit after. */
export interface Guard {
  /** Denials and failures are results with `isError`. Throws only what the protocol has its own errors for. */
  call(tool: CatalogTool, args: unknown, context: CallContext): Promise<ToolResult>;
  readResource(view: Pick<View, "findResource">, uri: string, context: CallContext): Promise<ReadResourceResult>;
  /** Judged like a read. Calls the listener when the resource changes, until unsubscribed. */
  watchResource(view: View, uri: string, listener: () => void, context: CallContext): Promise<Unsubscribe>;
  getPrompt(
    view: View,
    name: string,
    args: Readonly<Record<string, string>>,
    context: CallContext,
  ): Promise<GetPromptResult>;
  complete(view: View, request: CompletionRequest, context: CallContext): Promise<Completion>;
  /** Judged like a read, as is the next one. */
  getSkill(view: View, uri: string, context: CallContext): Promise<GetSkillResult>;
  readDirectory(
    view: View,
    uri: string,
    cursor: string | undefined,
    context: CallContext,
  ): Promise<ReadDirectoryResult>;
  /** What `call` would say to this call, for a door that asks its user before the call is sent. */
  preview(tool: CatalogTool, args: unknown, caller: Caller): Promise<CallPreview>;
  /** Writes a call to the audit that a door refused before it could be judged. */
  noteRefused(refusal: RefusedCall): void;
  /** Takes effect with the next call. */
  setPolicy(policy: Policy): void;
}

type Outcome<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "refused"; readonly code: "denied" | "rate-limited"; readonly text: string }
  | { readonly kind: "failed"; readonly fault: Fault };

const maxMessageLength = 4000;

export function createGuard(options: GuardOptions): Guard {
  const { approvals, pins, askers, audit, metrics, log = silentLog, askTimeoutMs = 120_000 } = options;
  const clock = options.clock ?? createClock();
  const judge = createCallAdmission({ approvals, pins, askers, clock, log, askTimeoutMs, secrets: options.secrets });
  const argumentsOf =
    options.keepsArguments === true
      ? (operation: Operation) => argumentsToStore(operation, options.secrets?.())
      : undefined;
  const flows = createGuardFlows(clock);
  const recorder = createCallRecorder({ audit, metrics, clock, argumentsOf });
  const pausedBecause = options.pausedBecause ?? (() => undefined);
  let { policy } = options;
  let limits = createRateLimits(policy.limits ?? []);

  function waitFor({ source, tool }: Operation, { caller }: CallContext, now: number): number {
    if (policy.limits === undefined || policy.limits.length === 0) return 0;
    const { id, kind } = source;
    return limits.take({ tool, own: tool?.tool.name, source: id, kind, traits: traitsOf() }, caller, now);
  }

  async function runGuarded<T>(operation: ReachedOperation<T>, given: CallContext): Promise<Outcome<T>> {
    const record = recorder.begin(operation, given);
    const { span } = record;
    const context = span === undefined ? given : (given.withSpan?.(span) ?? given);
    const decision: { -readonly [K in keyof CallDecision]: CallDecision[K] } = {
      verdict: "deny",
      why: "it failed before it was judged",
      waited: undefined,
      findings: undefined,
    };
    let isRunning = false;
    const refuse = (code: "denied" | "rate-limited", text: string): Outcome<T> => {
      span?.recordFailure(code);
      record.end(decision, code, undefined);
      return { kind: "refused", code, text };
    };
    const refusePaused = (text: string): Outcome<T> => {
      decision.verdict = "deny";
      decision.why = "paused";
      return refuse("denied", text);
    };
    try {
      const paused = pausedBecause();
      if (paused !== undefined) return refusePaused(paused);
      const wait = waitFor(operation, context, record.at);
      if (wait > 0) {
        decision.why = "limit";
        return refuse("rate-limited", limitText(operation.what, wait));
      }
      const screened = screenCall(policy, operation, context.caller);
      const inArguments = screened instanceof Promise ? await screened : screened;
      const ofFlow = judgedFindings(policy, operation, context.caller, flows.check(policy, operation, context));
      const found = ofFlow.length === 0 ? inArguments : [...inArguments, ...ofFlow];
      if (found.length > 0) decision.findings = found;
      const admitted = judge.admit(policy, operation, context, found, decision);
      const admission = admitted instanceof Promise ? await admitted : admitted;
      if (admitted instanceof Promise) decision.waited = clock() - record.at;
      decision.verdict = admission.verdict;
      decision.why = admission.why;
      if (!admission.pass) return refuse("denied", admission.text);
      // It may have waited for an approval while the user paused.
      const pausedSince = pausedBecause();
      if (pausedSince !== undefined) return refusePaused(pausedSince);
      record.run(decision);
      isRunning = true;
      const answer = screenAnswer(policy, operation, withoutFlood(await operation.run(context)), context);
      const { value, findings } = answer instanceof Promise ? await answer : answer;
      if (findings.length > 0) decision.findings = [...found, ...findings];
      flows.note(policy, operation, context, value, findings);
      record.end(decision, isToolError(value) ? "tool-error" : "ok", value);
      return { kind: "done", value };
    } catch (error) {
      const fault = faultOf(error, context.signal, isRunning);
      if (!isFault(error) && fault.code === "internal")
        log.error("a call failed unexpectedly", { what: operation.what, error });
      span?.recordError(fault);
      if (!isRunning) decision.waited = clock() - record.at;
      record.end(decision, fault.code, undefined);
      return { kind: "failed", fault };
    }
  }

  async function readGuarded<T>(operation: ReachedOperation<T>, context: CallContext): Promise<T> {
    const outcome = await runGuarded(operation, context);
    if (outcome.kind === "done") return outcome.value;
    throw outcome.kind === "failed" ? outcome.fault : new Fault(outcome.code, outcome.text);
  }

  return {
    async call(tool, args, context) {
      const outcome = await runGuarded(reachTool(tool, args), context);
      if (outcome.kind === "done")
        return outcome.value.isError === true ? withHint(outcome.value, tool, args) : outcome.value;
      if (outcome.kind === "refused") return faultResult(outcome.code, outcome.text);
      if (outcome.fault instanceof RpcFault) throw await faultWithHint(outcome.fault, tool, args);
      if (isForProtocol(outcome.fault)) throw outcome.fault;
      const { code, message, detail } = outcome.fault;
      return faultResult(code, visibleText(message, maxMessageLength), detail);
    },

    readResource: async (view, uri, context) => readGuarded(reachResource(view, uri, context.caller), context),
    watchResource: async (view, uri, listener, context) =>
      readGuarded(reachWatch(view, uri, listener, context.caller), context),
    getSkill: async (view, uri, context) => readGuarded(reachSkill(view, uri, context.caller), context),
    readDirectory: async (view, uri, cursor, context) =>
      readGuarded(reachDirectory(view, uri, cursor, context.caller), context),
    getPrompt: async (view, name, args, context) => readGuarded(reachPrompt(view, name, args), context),
    async complete(view, request, context) {
      const reached = reachCompletion(view, request);
      return reached === undefined ? { values: [] } : readGuarded(reached, context);
    },

    preview: (tool, args, caller) =>
      judge.preview(policy, { source: tool.source, tool, args, what: tool.name }, { caller }),

    noteRefused: (refusal) => recorder.refused(refusal),

    setPolicy(next) {
      if (JSON.stringify(next.limits) !== JSON.stringify(policy.limits)) limits = createRateLimits(next.limits ?? []);
      policy = next;
      pins.setPolicy(next);
    },
  };
}

/** The time with fractions of a millisecond. `performance` gives the same, but loading it slows down the first call. */
function createClock(): () => number {
  const origin = Date.now() - elapsedMs();
  return () => origin + elapsedMs();
}

function elapsedMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Why an operation failed. A stopped source knows best how far it got; before it ran, the guard knows. */
function faultOf(error: unknown, signal: AbortSignal, isRunning: boolean): Fault {
  if (!signal.aborted) return toFault(error);
  const stop = cancelledBy(signal);
  if (stop.code !== "outcome-unknown") return stop;
  if (!isRunning) return new Fault("unavailable", "This was stopped before it started. It is safe to try again.");
  return isFault(error) ? error : stop;
}

/** More blocks than any model reads would keep everyone else waiting while they are written. */
const maxBlocks = 10_000;

/** The result, or an error that names the limit in the place of one with too many blocks. */
function withoutFlood<T>(value: T): T {
  const content: unknown =
    typeof value === "object" && value !== null && "content" in value ? value.content : undefined;
  if (!Array.isArray(content) || content.length <= maxBlocks) return value;
  const count = content.length.toLocaleString("en");
  const text = `The tool ran, but its result was dropped: it has ${count} content blocks, and ${maxBlocks.toLocaleString("en")} are the most.`;
  return errorResult(text) as T;
}

function isToolError(value: unknown): boolean {
  return typeof value === "object" && value !== null && "isError" in value && value.isError === true;
}

/** A cancelled call, or a capability that the client lacks. */
function isForProtocol(fault: Fault): boolean {
  return fault.code === "cancelled" || fault.code === "missing-capability";
}

/** In `_meta`: the code of the fault, for programs. A result has no field for it. */
const codeMeta = "clawport/code";
const callIdMeta = "clawport/callId";

/** The result that a model sees for a call that was refused or failed before its tool answered. */
function faultResult(code: FaultCode, text: string, detail?: unknown): ToolResult {
  // Only the id of a call that may have run is passed on. The rest of a detail may hold another caller's secrets.
  const { call_id: callId } = asRecord(detail);
  return {
    ...errorResult(text),
    _meta: { [codeMeta]: code, ...(typeof callId === "string" ? { [callIdMeta]: callId } : {}) },
  };
}

/** The fault behind a result made by `faultResult`; undefined if the tool itself answered. */
export function faultFromResult({ isError, content, _meta: meta }: ToolResult): Fault | undefined {
  const code = asRecord(meta)[codeMeta];
  const [block] = content;
  if (isError !== true || !isFaultCode(code) || block?.type !== "text") return undefined;
  return new Fault(code, block.text);
}
