import { Fault } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import { sleep, untilAborted } from "../../core/wait.ts";
import { busAddress, type DbusConnection, openDbus } from "../../sources/machine/dbus/connection.ts";
import { createNotifications } from "../../sources/machine/notifications.ts";
import type { Presence } from "../control/queries/presence.ts";
import { startsWithSession } from "./autostart.ts";
import type { HubLink } from "./hub-link.ts";
import { openStatusNotifier, type StatusNotifier } from "./status-notifier.ts";
import { createTrayActions, type TrayActionsOptions } from "./tray-actions.ts";
import { createTrayQuestions } from "./tray-questions.ts";
import { createRecordingNotices } from "./recording-notices.ts";

export interface TrayOptions extends Omit<TrayActionsOptions, "notifications" | "control" | "quit" | "onChanged"> {
  readonly link: HubLink;
  /** Whether the node runs in this process. */
  readonly ownsNode: boolean;
  /** Tells the user something that is not in the tray. */
  say(line: string): void;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** One tray for each session bus has this name. */
const trayName = "io.github.clawport.Tray";
const notificationsName = "org.freedesktop.Notifications";
const daemon = {
  destination: "org.freedesktop.DBus",
  path: "/org/freedesktop/DBus",
  interface: "org.freedesktop.DBus",
};
/** How long a panel may take to start after the tray. */
const hostMs = 3000;
const reconnectMs = 1000;
/** A bus that is gone this long does not come back: the session is over. */
const sessionOverMs = 300_000;

export const noHostText =
  "No panel here shows tray icons. On GNOME, install the extension “AppIndicator and KStatusNotifierItem Support” " +
  "(package `gnome-shell-extension-appindicator`). Questions come as notifications, and `clawport console` shows the rest.";

/**
 * Runs until the user quits or the signal aborts. Faults with `conflict` if this session has a tray, and with `unavailable`
 * if it has no bus, or neither a panel nor notifications.
 */
export async function runTray(options: TrayOptions): Promise<void> {
  const { env, platform, homedir, link, ownsNode, log } = options;
  const quitting = new AbortController();
  const signal = AbortSignal.any([options.signal, quitting.signal]);
  const notifications = createNotifications({ env, platform });
  const control = () => link.control();
  let icon: StatusNotifier | undefined;
  let hub: Presence | undefined;
  let canAsk = false;

  const show = (): void => icon?.show({ hub, ownsNode, startsWithSession: startsWithSession({ env, homedir }) });
  const actions = createTrayActions({
    ...options,
    notifications,
    control,
    quit: () => quitting.abort(),
    onChanged: () => void refresh(),
  });
  const open = (id: string): Promise<void> => actions.perform({ do: "open", page: `approvals/${id}` });
  const questions = createTrayQuestions({ notifications, control, open, log });
  const notices = createRecordingNotices({
    notifications,
    stop: (id) => actions.perform({ do: "stop-recording", id }),
  });

  function take(presence: Presence | undefined): void {
    hub = presence;
    show();
    questions.set(presence?.waiting ?? []);
    notices.set(presence?.recordings ?? []);
  }

  /** What the user did, or what was changed elsewhere without a word, is seen at once. */
  async function refresh(): Promise<void> {
    try {
      take(await control()?.presence.read({}));
    } catch {
      show();
    }
  }

  async function openBus(): Promise<DbusConnection> {
    const address = busAddress("session", env);
    if (address === undefined)
      throw new Fault("unavailable", "There is no desktop session here: no D-Bus session bus is known.");
    const bus = await openDbus(address, signal);
    const [reply] = await bus.call({ ...daemon, member: "RequestName", signature: "su", body: [trayName, doNotQueue] });
    if (reply !== isOwner && reply !== wasOwner) {
      bus.close();
      throw new Fault("conflict", "This session already has a Clawport tray.");
    }
    const changes = `type='signal',sender='${daemon.destination}',member='NameOwnerChanged',arg0='${notificationsName}'`;
    await bus.listen(changes, ({ member, body = [] }) => {
      if (member === "NameOwnerChanged" && body[0] === notificationsName && body[2] !== "") void findDaemon();
    });
    icon = await openStatusNotifier(bus, {
      onClick: (action) => void actions.perform(action),
      onOpen: () => void refresh(),
      onActivate: () => void actions.perform({ do: "open", page: "" }),
    });
    show();
    return bus;
  }

  async function findDaemon(): Promise<void> {
    canAsk = await notifications.hasButtons();
    questions.showAgain();
    notices.showAgain();
  }

  /** The icon comes back with the bus. */
  async function keepBus(first: DbusConnection): Promise<void> {
    for (let bus = first; ;) {
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      bus.onClose(resolve);
      await Promise.race([closed, untilAborted(signal)]);
      icon = undefined;
      if (signal.aborted) return bus.close();
      const next = await reopen();
      if (next === undefined) return quitting.abort();
      bus = next;
    }
  }

  async function reopen(): Promise<DbusConnection | undefined> {
    const giveUpAt = performance.now() + sessionOverMs;
    while (!signal.aborted && performance.now() < giveUpAt) {
      try {
        const bus = await openBus();
        void findDaemon();
        return bus;
      } catch (error) {
        log.debug("the session bus is not back", { error });
        await sleep(reconnectMs, signal).catch(() => {});
      }
    }
    return undefined;
  }

  async function requireDesktop(): Promise<void> {
    if (!icon!.isHosted()) await sleep(hostMs, signal).catch(() => {});
    if (signal.aborted || icon?.isHosted() !== false) return;
    if (!canAsk)
      throw new Fault("unavailable", `${noHostText.split(" Questions")[0]!} No notification daemon answers, either.`);
    options.say(noHostText);
  }

  const bus = await openBus();
  try {
    await findDaemon();
    const following = link.follow(() => canAsk, take, signal);
    const keeping = keepBus(bus);
    await Promise.race([requireDesktop(), untilAborted(signal)]);
    await untilAborted(signal);
    await keeping;
    await following;
  } finally {
    quitting.abort();
    questions.set([]);
    notices.set([]);
    await actions.close();
    bus.close();
  }
}

/** D-Bus Specification, `RequestName`. */
const doNotQueue = 4;
const isOwner = 1;
const wasOwner = 4;
