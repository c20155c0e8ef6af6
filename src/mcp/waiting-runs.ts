import { crypto } from "../core/crypto.ts";
import { Fault } from "../core/fault.ts";
import type { Run } from "./run.ts";

/**
 * Runs that wait for their client to come back with answers. The client holds a `requestState`: sealed, so that it
 * can't be made up or changed, bound to its principal and subject, and good for one return within the time.
 */
export interface WaitingRuns {
  keep(run: Run): string;
  take(state: unknown, principal: string, subject: string): Run;
  close(): void;
}

export interface WaitingRunsOptions {
  readonly forMs: number;
  readonly atMost: number;
}

export function createWaitingRuns({ forMs, atMost }: WaitingRunsOptions): WaitingRuns {
  const runs = new Map<string, { run: Run; timer: NodeJS.Timeout }>();
  let key: Buffer | undefined;

  const seal = (id: string, subject: string, principal: string) =>
    crypto()
      .createHmac("sha256", (key ??= crypto().randomBytes(32)))
      .update(JSON.stringify([id, subject, principal]))
      .digest("base64url");

  return {
    keep(run) {
      if (runs.size >= atMost) {
        const [oldest] = runs.keys();
        if (oldest !== undefined) drop(oldest, "Too many calls wait for an answer; this one is the oldest.");
      }
      const id = crypto().randomBytes(16).toString("base64url");
      const timer = setTimeout(() => drop(id, "The client did not answer in time."), forMs);
      timer.unref();
      runs.set(id, { run, timer });
      return `${id}.${seal(id, run.subject, run.principal)}`;
    },
    take(state, principal, subject) {
      const [id = "", mac = ""] = typeof state === "string" ? state.split(".", 2) : [];
      const wanted = Buffer.from(seal(id, subject, principal));
      const given = Buffer.from(typeof state === "string" ? state.slice(id.length + 1) : mac);
      if (given.length !== wanted.length || !crypto().timingSafeEqual(given, wanted)) {
        throw new Fault("bad-params", "This requestState was not made for this request. Send it back as it came.");
      }
      const kept = runs.get(id);
      if (!kept) {
        throw new Fault("bad-params", "This requestState is spent or too old. Send the request again without it.");
      }
      clearTimeout(kept.timer);
      runs.delete(id);
      return kept.run;
    },
    close() {
      for (const id of runs.keys()) drop(id, "The server is closing.");
    },
  };

  function drop(id: string, reason: string): void {
    const kept = runs.get(id);
    if (!kept) return;
    clearTimeout(kept.timer);
    runs.delete(id);
    kept.run.abandon(reason);
  }
}
