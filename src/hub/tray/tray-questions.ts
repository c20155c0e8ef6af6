import type { ApprovalQuestion } from "../../catalog/guard/askers.ts";
import type { Log } from "../../core/log.ts";
import { sleep } from "../../core/wait.ts";
import { createDesktopAsker } from "../../sources/machine/desktop-asker.ts";
import type { Notifications } from "../../sources/machine/notifications.ts";
import type { PresentQuestion } from "../control/queries/presence.ts";
import type { HubControl } from "../control/verbs.ts";
import { nameText } from "./tray-state.ts";

/** Shows the calls that wait as notifications, as long as they wait. */
export interface TrayQuestions {
  /** What waits now: new questions are shown, answered ones disappear. */
  set(waiting: readonly PresentQuestion[]): void;
  /** The notification daemon was restarted: what it showed is gone. */
  showAgain(): void;
}

export interface TrayQuestionsOptions {
  readonly notifications: Notifications;
  control(): HubControl | undefined;
  /** Opens the question in the console. */
  open(id: string): Promise<void>;
  readonly log: Log;
  readonly clock?: () => number;
}

/** A notification that the desktop held back or took away comes again, while the question waits. */
const comeBackMs = 30_000;
const maxPerMinute = 4;
const minuteMs = 60_000;
/** Never fits: of such a call only a part is known, so it can't be allowed here. */
const unknownPart = "…".repeat(10_000);

/** Whether a caller may have one more notification, by when it had the last ones: many would train a person to click. */
export function judgeNotice(shownAt: readonly number[], now: number): boolean {
  return shownAt.filter((at) => now - at < minuteMs).length < maxPerMinute;
}

export function createTrayQuestions(options: TrayQuestionsOptions): TrayQuestions {
  const { notifications, control, open, log, clock = Date.now } = options;
  const asked = new Map<string, AbortController>();
  const shownAt = new Map<string, readonly number[]>();
  const flooded = new Set<string>();
  let wake = new AbortController();

  function mayShow({ callerKey, caller }: PresentQuestion): boolean {
    const now = clock();
    const times = (shownAt.get(callerKey) ?? []).filter((at) => now - at < minuteMs);
    if (!judgeNotice(times, now)) {
      if (!flooded.has(callerKey)) void tellFlood(callerKey, caller);
      return false;
    }
    shownAt.set(callerKey, [...times, now]);
    return true;
  }

  /** Said once, without a way to answer. */
  async function tellFlood(callerKey: string, caller: string): Promise<void> {
    flooded.add(callerKey);
    const body = "Its other questions are in the menu of the tray icon, and in the console.";
    const title = `${nameText(caller)} asks very often`;
    await notifications.show({ title, body, urgency: "normal" }, AbortSignal.timeout(minuteMs)).catch(() => {});
  }

  async function askAbout(question: PresentQuestion, signal: AbortSignal): Promise<void> {
    const hub = control();
    if (hub === undefined) return;
    const { id, tool, source } = question;
    const { call, text = unknownPart } = await hub.approvals.show({ id });
    let isOpened = false;
    const asker = createDesktopAsker(notifications, {
      openCall: (which) => async () => {
        isOpened = true;
        await open(which);
      },
    });
    const choices = call.lasting ? (["once", "always", "never"] as const) : (["once"] as const);
    const shown: ApprovalQuestion = { id, tool, source, caller: call.caller, text, choices, expiresAt: 0 };
    while (!signal.aborted) {
      // A daemon that comes back while the end of the last one is still being noticed counts, too.
      const { signal: comeBack } = wake;
      const answer = await asker.ask(shown, signal).catch((error: unknown) => {
        log.debug("a question could not be shown", { error });
        return undefined;
      });
      if (signal.aborted || isOpened) return;
      if (answer !== undefined)
        return void (await hub.approvals.approve({ id, answer, confirmed: true, seen: call.hash, by: "desktop" }));
      await sleep(comeBackMs, AbortSignal.any([signal, comeBack])).catch(() => {});
    }
  }

  return {
    set(waiting) {
      const ids = new Set(waiting.map(({ id }) => id));
      for (const [id, shown] of asked) {
        if (ids.has(id)) continue;
        shown.abort();
        asked.delete(id);
      }
      if (waiting.length === 0) flooded.clear();
      for (const question of waiting) {
        if (asked.has(question.id) || !mayShow(question)) continue;
        const ended = new AbortController();
        asked.set(question.id, ended);
        askAbout(question, ended.signal).catch((error: unknown) => log.debug("a question was not answered", { error }));
      }
    },
    showAgain() {
      wake.abort();
      wake = new AbortController();
    },
  };
}
