import type { Fault } from "../../core/fault.ts";
import { prepareToSend } from "../../core/http/turn-end.ts";
import { approximateJsonSize } from "../../core/json-size.ts";
import { visibleText } from "../../core/text/peer-text.ts";
import type { CallMetrics } from "../../core/telemetry/clawport-metrics.ts";
import type { Span } from "../../core/telemetry/telemetry.ts";
import type { CallVerdict } from "../advice.ts";
import { type AuditEntry, type BegunCall, shortHash } from "../audit/audit-line.ts";
import { isRefusal, ranMs } from "../audit/call-words.ts";
import type { Audit } from "../audit/audit.ts";
import type { CallContext } from "../call-context.ts";
import type { Caller } from "../caller.ts";
import type { Finding } from "../screen/finding.ts";
import type { CatalogTool, ListedSource } from "../source.ts";
import type { Operation } from "./reach-source.ts";
import { rulesOf } from "./findings/screening.ts";

export interface CallDecision {
  readonly verdict: CallVerdict;
  readonly why: string;
  /** Milliseconds until it was decided, if that took a question or a look into files. */
  readonly waited?: number | undefined;
  /** What screening found in the arguments and the answer. */
  readonly findings?: readonly Finding[] | undefined;
}

export interface CallRecord {
  readonly at: number;
  /** Ends with the record; undefined if the call is not traced. */
  readonly span: Span | undefined;
  /** The call is about to run. Throws if it must be recorded and can't be. */
  run(decision: CallDecision): void;
  end(decision: CallDecision, outcome: string, value: unknown): void;
}

/** A call that never reached a tool. */
export interface RefusedCall {
  /** Undefined if there is no tool of that name. */
  readonly tool: CatalogTool | undefined;
  readonly name: string;
  readonly fault: Fault;
  readonly context: Pick<CallContext, "caller">;
}

export interface CallRecorderOptions {
  readonly audit: Audit;
  readonly metrics: CallMetrics | undefined;
  readonly clock: () => number;
  /** The arguments as the audit has them, if it has any. */
  readonly argumentsOf?: ((operation: Operation) => string) | undefined;
}

/** In the audit, for a tool that no source has. */
const noSource = "-";
const maxNameLength = 200;

/** Counts every call in the metrics when it begins and ends, traces it, and writes it to the audit. */
export function createCallRecorder({ audit, metrics, clock, argumentsOf }: CallRecorderOptions) {
  const appNames = new WeakMap<ListedSource, string>();

  /** The id of an app's session grants access to it, so only its hash is recorded. */
  function nameOf(source: ListedSource): string {
    if (source.kind !== "app") return source.id;
    const name = appNames.get(source) ?? `app:${shortHash(source.id)}`;
    appNames.set(source, name);
    return name;
  }

  const recorder: RecorderParts = { audit, metrics, clock, argumentsOf, nameOf };

  return {
    refused({ tool, name, fault, context }: RefusedCall): void {
      audit.record({
        at: clock(),
        caller: context.caller,
        source: tool === undefined ? noSource : nameOf(tool.source),
        tool: tool?.name ?? visibleText(name, maxNameLength),
        verdict: "deny",
        why: fault.code === "unknown-tool" ? "there is no such tool" : "the client can't run it",
        ms: 0,
        outcome: fault.code,
        sizeIn: 0,
        sizeOut: 0,
      });
    },
    begin(operation: Operation, { caller, span: door }: CallContext): CallRecord {
      const { source } = operation;
      const call = { door: caller.door, source: source.kind === "server" ? source.id : source.kind };
      metrics?.callStarted(call);
      const span = door?.startChild("guard", { attributes: { "clawport.source": call.source } });
      return new RunningCall(operation, caller, call, span, recorder);
    },
  };
}

interface RecorderParts extends CallRecorderOptions {
  nameOf(source: ListedSource): string;
}

/** A class, not a closure: there is one for every call. */
class RunningCall implements CallRecord {
  readonly at: number;
  readonly span: Span | undefined;
  readonly #operation: Operation;
  readonly #caller: Caller;
  readonly #call: { readonly door: string; readonly source: string };
  readonly #recorder: RecorderParts;
  #begun: BegunCall | undefined;

  constructor(
    operation: Operation,
    caller: Caller,
    call: { readonly door: string; readonly source: string },
    span: Span | undefined,
    recorder: RecorderParts,
  ) {
    this.at = recorder.clock();
    this.span = span;
    this.#operation = operation;
    this.#caller = caller;
    this.#call = call;
    this.#recorder = recorder;
  }

  run({ verdict, why }: CallDecision): void {
    const { source, what: tool } = this.#operation;
    const { audit, nameOf } = this.#recorder;
    const begun = { at: this.at, caller: this.#caller, source: nameOf(source), tool, verdict, why };
    audit.begin(begun);
    this.#begun = begun;
    // What runs in this process does not wait for the end of the turn, as requests to servers and apps do.
    if (source.kind !== "server" && source.kind !== "app") prepareToSend();
  }

  end({ verdict, why, waited, findings }: CallDecision, outcome: string, value: unknown): void {
    const { at, span } = this;
    const { source, args, what: tool } = this.#operation;
    const { audit, metrics, clock, argumentsOf, nameOf } = this.#recorder;
    const { door, source: kind } = this.#call;
    const ms = clock() - at;
    const sizeIn = approximateJsonSize(args);
    const sizeOut = value === undefined ? 0 : approximateJsonSize(value);
    const caller = this.#caller;
    const entry: AuditEntry = {
      at,
      caller,
      source: nameOf(source),
      tool,
      verdict,
      why,
      ms,
      waited,
      outcome,
      sizeIn,
      sizeOut,
      arguments: argumentsOf?.(this.#operation),
      findings: findings === undefined ? undefined : rulesOf(findings),
    };
    audit.record(entry, this.#begun);
    const isRefused = isRefusal(outcome);
    const code = outcome === "ok" || outcome === "tool-error" || isRefused ? undefined : outcome;
    const seconds = isRefused ? undefined : ranMs(entry) / 1000;
    const approvalSeconds = verdict === "ask" && waited !== undefined ? waited / 1000 : undefined;
    metrics?.callEnded({ door, source: kind, outcome, code, seconds, approvalSeconds });
    for (const { rule, severity } of findings ?? []) metrics?.found?.({ source: kind, rule, severity });
    span?.setAttribute("clawport.verdict", verdict);
    span?.setAttribute("clawport.why", why);
    span?.end();
  }
}
