import { type Caller, callerName, scopeOfCaller } from "../../../catalog/caller.ts";
import { type Log, silentLog } from "../../../core/log.ts";
import { settledWithin } from "../../../core/wait.ts";
import { CapabilityFault, type CapabilityContext } from "../capability.ts";
import type { Notifications } from "../notifications.ts";

/** Something that is being recorded now. */
export interface ActiveRecording {
  readonly what: "screen" | "camera" | "microphone";
  readonly since: string;
  /** Who asked for it: `phone`. */
  readonly caller: string;
}

/** What is being recorded, so that the user can see it and stop it. */
export interface Recordings {
  list(): readonly ActiveRecording[];
  /** While the work runs, a notification says so. Its button ends the work with a fault. */
  during<T>(recording: RecordingOrder, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export interface RecordingOrder extends Pick<CapabilityContext, "caller" | "signal" | "progress"> {
  readonly what: readonly ActiveRecording["what"][];
  readonly durationMs: number;
}

export interface RecordingsOptions {
  readonly notifications: Pick<Notifications, "show">;
  readonly log?: Log;
  readonly clock?: () => number;
}

/** A recording takes a moment longer than the film. */
const expireAfterMs = 30_000;
/** How long the notification may take to disappear. */
const closeMs = 2000;

export function createRecordings({ notifications, log = silentLog, clock = Date.now }: RecordingsOptions): Recordings {
  const active = new Set<ActiveRecording>();

  /** Calls back if the user presses the button. Without a desktop there is nothing to show. */
  async function showNotice(order: RecordingOrder, signal: AbortSignal, onStop: () => void): Promise<void> {
    const seconds = Math.ceil(order.durationMs / 1000);
    try {
      const { button } = await notifications.show(
        {
          title: `Recording: ${order.what.join(" and ")}`,
          body: `For ${nameOf(order.caller)}, up to ${seconds} s.`,
          urgency: "critical",
          buttons: ["Stop"],
          // If this process is killed, no one else takes it away.
          expireMs: order.durationMs + expireAfterMs,
        },
        signal,
      );
      if (button !== undefined) onStop();
    } catch (error) {
      log.debug("no notification shows the recording", { error });
    }
  }

  return {
    list: () => [...active],
    async during(order, work) {
      const since = new Date(clock()).toISOString();
      const caller = nameOf(order.caller);
      const entries = order.what.map((what) => ({ what, since, caller }));
      for (const entry of entries) active.add(entry);
      const over = new AbortController();
      const stopped = new AbortController();
      const notice = showNotice(order, over.signal, () => stopped.abort(stoppedByUser()));
      try {
        const signal = AbortSignal.any([order.signal, stopped.signal]);
        return await withSeconds(order, () => work(signal));
      } finally {
        for (const entry of entries) active.delete(entry);
        over.abort();
        await settledWithin(notice, closeMs);
      }
    },
  };
}

function nameOf(caller: Caller): string {
  return callerName(scopeOfCaller(caller));
}

function stoppedByUser(): CapabilityFault {
  return new CapabilityFault("CONSENT_DENIED", "The user stopped the recording.", { code: "denied" });
}

const progressEveryMs = 1000;

/** Reports every second that the work goes on. */
export async function withSeconds<T>(
  { durationMs, progress }: { readonly durationMs: number; progress: CapabilityContext["progress"] },
  work: () => Promise<T>,
): Promise<T> {
  const total = Math.max(1, Math.ceil(durationMs / 1000));
  let done = 0;
  const timer = setInterval(() => {
    done++;
    progress({ progress: done, total: Math.max(total, done) });
  }, progressEveryMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
