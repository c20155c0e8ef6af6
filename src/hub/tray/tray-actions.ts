import type { Home } from "../../core/files/home.ts";
import { Fault, messageOf } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import type { World } from "../../core/process/world.ts";
import { createSignInLink } from "../../doors/console/sign-in-link.ts";
import { ensureMainToken } from "../../doors/mcp/main-token.ts";
import type { Notifications } from "../../sources/machine/notifications.ts";
import type { HubControl } from "../control/verbs.ts";
import { openBrowser } from "../sign-in/open-browser.ts";
import { findRunningHub } from "../state/hub-record.ts";
import { setStartWithSession } from "./autostart.ts";
import { confirmationOf, type TrayAction } from "./tray-menu.ts";

export interface TrayActionsOptions extends Pick<World, "env" | "homedir" | "platform" | "program"> {
  readonly home: Home;
  readonly notifications: Notifications;
  readonly log: Log;
  control(): HubControl | undefined;
  /** Changes switches in the configuration, with the rights of the user. */
  setSwitches(switches: { readonly enabled?: boolean; readonly enableNodeMode?: boolean }): Promise<unknown>;
  quit(): void;
  /** Something changed that no hub tells. */
  onChanged(): void;
}

export interface TrayActions {
  perform(action: TrayAction): Promise<void>;
  close(): Promise<void>;
}

/** The token stays in the clipboard this long. */
const clearMs = 60_000;
const confirmMs = 60_000;

export function createTrayActions(options: TrayActionsOptions): TrayActions {
  const { env, homedir, platform, program, home, notifications, log } = options;
  const openClipboard = lazily(async () => {
    const { createClipboard } = await import("../../sources/machine/clipboard.ts");
    return createClipboard({ env, platform });
  });
  let clearing: NodeJS.Timeout | undefined;

  function requireControl(): HubControl {
    const control = options.control();
    if (control === undefined) throw new Fault("unavailable", "No hub is running. Run `clawport up` to start one.");
    return control;
  }

  /**
   * The notification daemon says which button was pressed, and the bus vouches for the daemon. A desktop without buttons
   * can't confirm anything.
   */
  async function isConfirmed(question: string): Promise<boolean> {
    if (!(await notifications.hasButtons()))
      throw new Fault("unavailable", "This desktop can't ask you to confirm it. Use the console, or a terminal.");
    const { button } = await notifications.show(
      { title: "Clawport", body: question, urgency: "normal", buttons: ["Yes", "No"] },
      AbortSignal.timeout(confirmMs),
    );
    return button === 0;
  }

  /** Who could read the link from the arguments of the browser could as well make one: that takes no more than the user's rights. */
  async function openConsole(page: string): Promise<void> {
    const hub = await findRunningHub(home);
    if (hub === undefined) throw new Fault("unavailable", "No hub with a console is running.");
    const { url } = await createSignInLink({ home, hub, terminal: true, page });
    if (!(await openBrowser(new URL(url), { env, platform })))
      throw new Fault("unavailable", "No browser could be started. Run `clawport console` in a terminal.");
  }

  async function copy(text: string, clearAfterMs?: number): Promise<void> {
    const clipboard = await openClipboard.get();
    clearTimeout(clearing);
    await clipboard.writeText(text, AbortSignal.timeout(10_000));
    // Ends the program that holds the text: what another program has copied since then stays.
    if (clearAfterMs !== undefined) clearing = setTimeout(() => void clipboard.close(), clearAfterMs).unref();
  }

  async function perform(action: TrayAction): Promise<unknown> {
    switch (action.do) {
      case "open":
        return openConsole(action.page);
      case "deny":
        return requireControl().approvals.approve({ id: action.id, answer: "no", by: "desktop" });
      case "stop-recording":
        return requireControl().presence.stopRecording({ id: action.id });
      case "pause":
        return requireControl().presence.pause({ minutes: action.minutes });
      case "resume":
        return requireControl().presence.resume();
      case "copy-endpoint":
        return copy(`${action.address}/mcp`);
      case "copy-token":
        return copy((await ensureMainToken({ home, env, log })).reveal(), clearMs);
      case "set-tools":
        return options.setSwitches({ enabled: action.on });
      case "set-gateway":
        return options.setSwitches({ enableNodeMode: action.on });
      case "start-with-session":
        return setStartWithSession({ env, homedir }, program, action.on);
      case "quit":
        return options.quit();
    }
  }

  return {
    async perform(action) {
      try {
        const question = confirmationOf(action);
        if (question !== undefined && !(await isConfirmed(question))) return;
        await perform(action);
        options.onChanged();
      } catch (error) {
        log.warn("a click in the tray had no effect", { action: action.do, error });
        const failure = { title: "Clawport", body: messageOf(error), urgency: "normal" } as const;
        await notifications.show(failure, AbortSignal.timeout(5000)).catch(() => {});
      }
    },
    async close() {
      clearTimeout(clearing);
      await (await openClipboard.ifOpen())?.close();
    },
  };
}

/** Opened with its first use. */
function lazily<T>(open: () => Promise<T>) {
  let opening: Promise<T> | undefined;
  return { get: () => (opening ??= open()), ifOpen: async () => opening };
}
