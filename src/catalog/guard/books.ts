import type { CallMetrics } from "../../core/metrics/call-metrics.ts";
import type { Audit } from "../audit.ts";
import { shortHash } from "../audit-entry.ts";
import type { Caller } from "../caller.ts";
import type { Verdict } from "../opinion.ts";
import type { Source } from "../tool-source.ts";
import { measureSize } from "./measure-size.ts";
import type { Use } from "./use.ts";

export interface Decision {
  readonly verdict: Verdict;
  readonly why: string;
}

export interface BookEntry {
  readonly at: number;
  close(decision: Decision, outcome: string, value: unknown): void;
}

export interface BooksOptions {
  readonly audit: Audit;
  readonly metrics: CallMetrics | undefined;
  readonly clock: () => number;
}

/** Writes every call into the audit and the metrics, when it begins and when it ends. */
export function createBooks({ audit, metrics, clock }: BooksOptions) {
  const names = new WeakMap<Source, string>();

  /** The id of an app's session opens that session, so only its hash is written down. */
  function nameOf(source: Source): string {
    const name = names.get(source) ?? (source.kind === "app" ? `app:${shortHash(source.id)}` : source.id);
    names.set(source, name);
    return name;
  }

  return {
    open({ source, args, what }: Use, caller: Caller): BookEntry {
      const at = clock();
      const call = { door: caller.door, source: source.kind === "server" ? source.id : source.kind };
      metrics?.callStarted(call);
      return {
        at,
        close({ verdict, why }, outcome, value) {
          const ms = clock() - at;
          const sizes = { sizeIn: measureSize(args), sizeOut: value === undefined ? 0 : measureSize(value) };
          audit.record({ at, caller, source: nameOf(source), tool: what, verdict, why, ms, outcome, ...sizes });
          const code = outcome === "ok" || outcome === "tool-error" ? undefined : outcome;
          metrics?.callEnded({ ...call, outcome, code, seconds: ms / 1000 });
        },
      };
    },
  };
}
