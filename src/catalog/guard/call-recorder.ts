import type { Fault } from "../../core/fault.ts";
import { prepareToSend } from "../../core/http/turn-end.ts";
import { approximateJsonSize } from "../../core/json-size.ts";
import { visibleText } from "../../core/peer-text.ts";
import type { CallMetrics } from "../../core/telemetry/clawport-metrics.ts";
import type { Span } from "../../core/telemetry/telemetry.ts";
import type { CallVerdict } from "../advice.ts";
import { type BegunCall, shortHash } from "../audit/audit-line.ts";
import type { Audit } from "../audit/audit.ts";
import type { CallContext } from "../call-context.ts";
import type { Caller } from "../caller.ts";
import type { CatalogTool, Source } from "../source.ts";
import type { Operation } from "./operation.ts";

export interface CallDecision {
  readonly verdict: CallVerdict;
  readonly why: string;
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
}

/** In the audit, for a tool that no source has. */
const noSource = "-";
const longestName = 200;

/** Counts every call in the metrics when it begins and ends, traces it, and writes it to the audit. */
export function createCallRecorder({ audit, metrics, clock }: CallRecorderOptions) {
  const names = new WeakMap<Source, string>();

  /** The id of an app's session grants access to it, so only its hash is recorded. */
  function nameOf(source: Source): string {
    const name = names.get(source) ?? (source.kind === "app" ? `app:${shortHash(source.id)}` : source.id);
    names.set(source, name);
    return name;
  }

  const recorder: RecorderParts = { audit, metrics, clock, nameOf };

  return {
    refused({ tool, name, fault, context }: RefusedCall): void {
      audit.record({
        at: clock(),
        caller: context.caller,
        source: tool === undefined ? noSource : nameOf(tool.source),
        tool: tool?.name ?? visibleText(name, longestName),
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
  nameOf(source: Source): string;
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

  end({ verdict, why }: CallDecision, outcome: string, value: unknown): void {
    const { at, span } = this;
    const { source, args, what: tool } = this.#operation;
    const { audit, metrics, clock, nameOf } = this.#recorder;
    const { door, source: kind } = this.#call;
    const ms = clock() - at;
    const sizeIn = approximateJsonSize(args);
    const sizeOut = value === undefined ? 0 : approximateJsonSize(value);
    const caller = this.#caller;
    const entry = { at, caller, source: nameOf(source), tool, verdict, why, ms, outcome, sizeIn, sizeOut };
    audit.record(entry, this.#begun);
    const code = outcome === "ok" || outcome === "tool-error" ? undefined : outcome;
    metrics?.callEnded({ door, source: kind, outcome, code, seconds: ms / 1000 });
    span?.setAttribute("clawport.verdict", verdict);
    span?.setAttribute("clawport.why", why);
    span?.end();
  }
}
