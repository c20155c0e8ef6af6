import { approximateJsonSize } from "../../core/json-size.ts";
import type { CallMetrics } from "../../core/telemetry/clawport-metrics.ts";
import type { Span } from "../../core/telemetry/telemetry.ts";
import type { CallVerdict } from "../advice.ts";
import { shortHash } from "../audit/audit-line.ts";
import type { Audit } from "../audit/audit.ts";
import type { CallContext } from "../call-context.ts";
import type { Source } from "../source.ts";
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

export interface CallRecorderOptions {
  readonly audit: Audit;
  readonly metrics: CallMetrics | undefined;
  readonly clock: () => number;
}

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
          const sizes = {
            sizeIn: approximateJsonSize(args),
            sizeOut: value === undefined ? 0 : approximateJsonSize(value),
          };
          audit.record({ at, caller, source: nameOf(source), tool: what, verdict, why, ms, outcome, ...sizes });
          const code = outcome === "ok" || outcome === "tool-error" ? undefined : outcome;
          metrics?.callEnded({ ...call, outcome, code, seconds: ms / 1000 });
          span?.setAttribute("clawport.verdict", verdict);
          span?.setAttribute("clawport.why", why);
          span?.end();
        },
      };
    },
  };
}
