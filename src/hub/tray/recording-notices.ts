import type { ActiveRecording } from "../../sources/machine/desktop/recordings.ts";
import type { Notifications } from "../../sources/machine/notifications.ts";
import { nameText } from "./tray-state.ts";

/** Notifications about recordings of a hub that can't show them itself: it runs outside of the session. */
export interface RecordingNotices {
  set(recordings: readonly ActiveRecording[]): void;
  /** The notification daemon was restarted. */
  showAgain(): void;
}

export interface RecordingNoticesOptions {
  readonly notifications: Notifications;
  stop(id: string): Promise<void>;
}

export function createRecordingNotices({ notifications, stop }: RecordingNoticesOptions): RecordingNotices {
  const shown = new Map<string, AbortController>();
  let known: readonly ActiveRecording[] = [];

  async function show({ id, what, tool, caller, seconds }: ActiveRecording, signal: AbortSignal): Promise<void> {
    const { button } = await notifications.show(
      {
        title: `Recording: ${what}`,
        body: `${tool} for ${nameText(caller)}, up to ${seconds} s.`,
        urgency: "critical",
        sound: "message-new-instant",
        buttons: ["Stop"],
      },
      signal,
    );
    if (button !== undefined) await stop(id);
  }

  function set(recordings: readonly ActiveRecording[]): void {
    known = recordings;
    const unseen = recordings.filter(({ notice }) => notice === "none");
    for (const [key, ended] of shown) {
      if (unseen.some((one) => keyOf(one) === key)) continue;
      ended.abort();
      shown.delete(key);
    }
    for (const recording of unseen) {
      if (shown.has(keyOf(recording))) continue;
      const ended = new AbortController();
      shown.set(keyOf(recording), ended);
      show(recording, ended.signal).catch(() => {});
    }
  }

  return {
    set,
    showAgain() {
      for (const ended of shown.values()) ended.abort();
      shown.clear();
      set(known);
    },
  };
}

const keyOf = ({ id, what }: ActiveRecording): string => `${id} ${what}`;
