import { Fault } from "../../core/fault.ts";
import { lazyCrypto } from "../../core/secrets/crypto.ts";
import { createPrincipalCounter } from "./principal-counter.ts";
import type { ResumableRun } from "./resumable-run.ts";

/**
 * Runs that wait for their client to come back with answers. The client holds a `requestState`: sealed, so that it
 * can't be made up or changed, bound to its principal and subject, and good for one return within the time.
 */
export interface WaitingRuns {
  keep(run: ResumableRun): string;
  take(state: unknown, principal: string, subject: string): ResumableRun;
  close(): void;
}

export interface WaitingRunsOptions {
  readonly forMs: number;
  readonly atMost: number;
  /** How many of them may be one principal's: its own oldest goes then, never somebody else's. */
  readonly atMostOfOne: number;
}

export function createWaitingRuns({ forMs, atMost, atMostOfOne }: WaitingRunsOptions): WaitingRuns {
  const runs = new Map<string, { run: ResumableRun; timer: NodeJS.Timeout }>();
  const tally = createPrincipalCounter();
  let key: Buffer | undefined;

  const seal = (id: string, subject: string, principal: string) =>
    lazyCrypto()
      .createHmac("sha256", (key ??= lazyCrypto().randomBytes(32)))
      .update(JSON.stringify([id, subject, principal]))
      .digest("base64url");

  return {
    keep(run) {
      if (tally.of(run.principal) >= atMostOfOne) dropOldestOf(run.principal);
      else if (runs.size >= atMost) dropOldestOf(tally.greatest());
      const id = lazyCrypto().randomBytes(16).toString("base64url");
      const timer = setTimeout(() => drop(id, "The client did not answer in time."), forMs);
      timer.unref();
      runs.set(id, { run, timer });
      tally.add(run.principal);
      return `${id}.${seal(id, run.subject, run.principal)}`;
    },
    take(state, principal, subject) {
      const text = typeof state === "string" ? state : "";
      const [id = ""] = text.split(".", 1);
      const wanted = Buffer.from(seal(id, subject, principal));
      const given = Buffer.from(text.slice(id.length + 1));
      if (given.length !== wanted.length || !lazyCrypto().timingSafeEqual(given, wanted)) {
        throw new Fault("bad-params", "This requestState was not made for this request. Send it back as it came.");
      }
      const kept = runs.get(id);
      if (!kept) {
        throw new Fault("bad-params", "This requestState is spent or too old. Send the request again without it.");
      }
      forget(id, kept);
      return kept.run;
    },
    close() {
      for (const id of runs.keys()) drop(id, "The server is closing.");
    },
  };

  function dropOldestOf(principal: string | undefined): void {
    for (const [id, { run }] of runs) {
      if (run.principal === principal) return drop(id, "Too many calls wait for an answer; this one is the oldest.");
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
    tally.remove(run.principal);
  }
}
