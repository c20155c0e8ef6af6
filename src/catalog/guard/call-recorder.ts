import type { Fault } from "../../core/fault.ts";
import { approximateJsonSize } from "../../core/json-size.ts";
import { visibleText } from "../../core/peer-text.ts";
import type { CallMetrics } from "../../core/telemetry/clawport-metrics.ts";
import type { Span } from "../../core/telemetry/telemetry.ts";
import type { CallVerdict } from "../advice.ts";
import { shortHash } from "../audit/audit-line.ts";
import type { Audit } from "../audit/audit.ts";
import type { CallContext } from "../call-context.ts";
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

/** Counts every call in the metrics when it begins and ends, traces it, and writes it to the audit when it ends. */
export function createCallRecorder({ audit, metrics, clock }: CallRecorderOptions) {
  const names = new WeakMap<Source, string>();

  /** The id of an app's session grants access to it, so only its hash is recorded. */
  function nameOf(source: Source): string {
    const name = names.get(source) ?? (source.kind === "app" ? `app:${shortHash(source.id)}` : source.id);
    names.set(source, name);
    return name;
  }

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
    begin({ source, args, what }: Operation, { caller, span: door }: CallContext): CallRecord {
      const at = clock();
      const call = { door: caller.door, source: source.kind === "server" ? source.id : source.kind };
      metrics?.callStarted(call);
      const span = door?.startChild("guard", { attributes: { "clawport.source": call.source } });
      return {
        at,
        span,
        end({ verdict, why }, outcome, value) {
          const ms = clock() - at;
          const sizeIn = approximateJsonSize(args);
          const sizeOut = value === undefined ? 0 : approximateJsonSize(value);
          const name = nameOf(source);
          audit.record({ at, caller, source: name, tool: what, verdict, why, ms, outcome, sizeIn, sizeOut });
          const code = outcome === "ok" || outcome === "tool-error" ? undefined : outcome;
          metrics?.callEnded({ door: call.door, source: call.source, outcome, code, seconds: ms / 1000 });
          span?.setAttribute("clawport.verdict", verdict);
          span?.setAttribute("clawport.why", why);
          span?.end();
        },
      };
    },
  };
}
