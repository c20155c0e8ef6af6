import { type Caller, callerName, scopeOfCaller } from "../../../catalog/caller.ts";
import { type Log, silentLog } from "../../../core/log.ts";
import { settledWithin, sleep } from "../../../core/wait.ts";
import { CapabilityFault, type CapabilityContext } from "../capability.ts";
import type { Notifications } from "../notifications.ts";

/** Something that is being recorded now. */
export interface ActiveRecording {
  /** The same for everything that one call records. */
  readonly id: string;
  readonly what: "screen" | "camera" | "microphone";
  readonly tool: string;
  readonly since: string;
  /** How long it may take. */
  readonly seconds: number;
  /** Who asked for it: `phone`. */
  readonly caller: string;
  /** Whether a notification of this process says so; `pending` until that is known. */
  readonly notice: "pending" | "shown" | "none";
}

/** A recording that has begun or ended, for the audit. */
export interface RecordingEvent {
  readonly kind: "began" | "ended";
  readonly what: string;
  readonly tool: string;
  readonly caller: Caller;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** How long it took, once it has ended. */
  readonly ms: number;
}

/** What is being recorded, so that the user can see it and stop it. */
export interface Recordings {
  list(): readonly ActiveRecording[];
  /** While the work runs, a notification says so. Its button ends the work with a fault. */
  during<T>(recording: RecordingOrder, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Ends one, or all, with the same fault. Whether there was any. */
  stop(id?: string): boolean;
}

export interface RecordingOrder extends Pick<CapabilityContext, "caller" | "signal" | "progress"> {
  readonly tool: string;
  readonly what: readonly ActiveRecording["what"][];
  readonly durationMs: number;
}

export interface RecordingsOptions {
  readonly notifications: Pick<Notifications, "show">;
  readonly log?: Log;
  readonly clock?: () => number;
  /** Called when one begins or ends; without an event when only its notification was shown or is gone. */
  readonly onChange?: ((event?: RecordingEvent) => void) | undefined;
}

/** A recording takes a moment longer than the film. */
const expireAfterMs = 30_000;
/** How long the notification may take to disappear. */
const closeMs = 2000;
/** When a notification that was taken away, or that could not be shown, is shown again. */
const showAgainMs = 1000;

interface OpenRecording {
  readonly order: RecordingOrder;
  readonly id: string;
  readonly at: number;
  readonly stopped: AbortController;
  notice: ActiveRecording["notice"];
}

export function createRecordings(options: RecordingsOptions): Recordings {
  const { notifications, log = silentLog, clock = Date.now, onChange } = options;
  const open = new Map<string, OpenRecording>();
  let lastId = 0;

  function setNotice(recording: OpenRecording, notice: ActiveRecording["notice"]): void {
    if (recording.notice === notice) return;
    recording.notice = notice;
    if (open.has(recording.id)) onChange?.();
  }

  /**
   * Shown again when its daemon was restarted or a program took it away: only the user may dismiss it. Without a desktop
   * there is nothing to show.
   */
  async function keepNotice(recording: OpenRecording, signal: AbortSignal): Promise<void> {
    const { order } = recording;
    const seconds = Math.ceil(order.durationMs / 1000);
    const notification = {
      title: `Recording: ${order.what.join(" and ")}`,
      body: `${order.tool} for ${nameOf(order.caller)}, up to ${seconds} s.`,
      urgency: "critical",
      sound: "message-new-instant",
      buttons: ["Stop"],
      // If this process is killed, no one else takes it away.
      expireMs: order.durationMs + expireAfterMs,
    } as const;
    while (!signal.aborted) {
      try {
        const reply = await notifications.show(notification, signal, () => setNotice(recording, "shown"));
        if (reply.button !== undefined) return recording.stopped.abort(stoppedByUser());
        if (reply.dismissed === true) return;
      } catch (error) {
        log.debug("no notification shows the recording", { error });
      }
      setNotice(recording, "none");
      await sleep(showAgainMs, signal).catch(() => {});
    }
  }

  return {
    list: () =>
      [...open.values()].flatMap(({ order, id, at, notice }) =>
        order.what.map((what) => ({
          id,
          what,
          tool: order.tool,
          since: new Date(at).toISOString(),
          seconds: Math.ceil(order.durationMs / 1000),
          caller: nameOf(order.caller),
          notice,
        })),
      ),
    stop(id) {
      const meant = [...open.values()].filter((recording) => id === undefined || recording.id === id);
      for (const { stopped } of meant) stopped.abort(stoppedByUser());
      return meant.length > 0;
    },
    async during(order, work) {
      const id = String(++lastId);
      const at = clock();
      const stopped = new AbortController();
      const recording: OpenRecording = { order, id, at, stopped, notice: "pending" };
      const event = { what: order.what.join(" and "), tool: order.tool, caller: order.caller };
      open.set(id, recording);
      onChange?.({ ...event, kind: "began", at, ms: 0 });
      const over = new AbortController();
      const notice = keepNotice(recording, over.signal);
      try {
        const signal = AbortSignal.any([order.signal, stopped.signal]);
        return await withSeconds(order, () => work(signal));
      } finally {
        open.delete(id);
        onChange?.({ ...event, kind: "ended", at: clock(), ms: clock() - at });
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
