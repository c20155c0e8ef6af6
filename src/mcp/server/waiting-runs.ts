import { Fault } from "../../core/fault.ts";
import { isSameSecret, lazyCrypto } from "../../core/secrets/crypto.ts";
import { createPrincipalCounter } from "./principal-counter.ts";
import type { ResumableRun } from "./resumable-run.ts";

/**
 * Runs that wait for their client's answers. The client holds a `requestState`. It is sealed, so that it can't be forged
 * or changed; it is bound to a principal and a subject; and it is good for one return within the time limit.
 */
export interface WaitingRuns {
  keep(run: ResumableRun): string;
  take(state: unknown, principal: string, subject: string): ResumableRun;
  endAllOf(principal: string): void;
  close(): void;
}

export interface WaitingRunsOptions {
  readonly forMs: number;
  readonly atMost: number;
  /** The limit per principal. Beyond it the principal's own oldest run is dropped, never another principal's. */
  readonly atMostOfOne: number;
}

export function createWaitingRuns({ forMs, atMost, atMostOfOne }: WaitingRunsOptions): WaitingRuns {
  const runs = new Map<string, { run: ResumableRun; timer: NodeJS.Timeout }>();
  const countOf = createPrincipalCounter();
  let key: Buffer | undefined;

  const seal = (id: string, subject: string, principal: string) =>
    lazyCrypto()
      .createHmac("sha256", (key ??= lazyCrypto().randomBytes(32)))
      .update(JSON.stringify([id, subject, principal]))
      .digest("base64url");

  return {
    keep(run) {
      if (countOf.of(run.principal) >= atMostOfOne) dropOldestOf(run.principal);
      else if (runs.size >= atMost) dropOldestOf(countOf.greatest());
      const id = lazyCrypto().randomBytes(16).toString("base64url");
      const timer = setTimeout(() => drop(id, "The client did not answer in time."), forMs);
      timer.unref();
      runs.set(id, { run, timer });
      countOf.add(run.principal);
      return `${id}.${seal(id, run.subject, run.principal)}`;
    },
    take(state, principal, subject) {
      const text = typeof state === "string" ? state : "";
      const [id = ""] = text.split(".", 1);
      if (!isSameSecret(text.slice(id.length + 1), seal(id, subject, principal))) {
        throw new Fault("bad-params", "This requestState does not belong to this request. Send it back unchanged.");
      }
      const kept = runs.get(id);
      if (!kept) {
        throw new Fault(
          "bad-params",
          "This requestState was already used or has expired. Send the request again without it.",
        );
      }
      forget(id, kept);
      return kept.run;
    },
    endAllOf(principal) {
      for (const [id, { run }] of runs) if (run.principal === principal) drop(id, "The token was revoked.");
    },
    close() {
      for (const id of runs.keys()) drop(id, "The server is closing.");
    },
  };

  function dropOldestOf(principal: string | undefined): void {
    for (const [id, { run }] of runs) {
      if (run.principal === principal)
        return drop(id, "Too many calls are waiting for an answer, and this one is the oldest.");
    }
  }

  function drop(id: string, reason: string): void {
    const kept = runs.get(id);
    if (!kept) return;
    forget(id, kept);
    kept.run.abandon(reason);
  }

  function forget(id: string, { run, timer }: { run: ResumableRun; timer: NodeJS.Timeout }): void {
    clearTimeout(timer);
    runs.delete(id);
    countOf.remove(run.principal);
  }
}
