import { Fault } from "../../core/fault.ts";
import { settledWithin, untilAborted } from "../../core/wait.ts";
import { type Availability, available } from "./capability.ts";
import { busAddress, type DbusConnection, openDbus } from "./dbus/connection.ts";
import type { Machine } from "./machine.ts";
import { runTool } from "./run-tool.ts";

export interface Notification {
  readonly title: string;
  readonly body: string;
  readonly urgency: "low" | "normal" | "critical";
  /** The name of a sound of the desktop's theme, such as `message-new-instant`. */
  readonly sound?: string;
  /** Shown as buttons, in this order. */
  readonly buttons?: readonly string[];
  /** With buttons: when the desktop may take it away itself; it stays until it is answered unless given. */
  readonly expireMs?: number;
}

/** What became of a notification with buttons. */
export interface NotificationReply {
  readonly id?: number;
  /** The index of the button that was pressed; undefined if it was dismissed, or if time was up. */
  readonly button?: number;
  /** Whether the user dismissed it. Otherwise it ran out, a program took it away, or its daemon ended. */
  readonly dismissed?: boolean;
}

/** Shows notifications on the desktop of this computer. */
export interface Notifications {
  probe(): Promise<Availability>;
  /** Whether buttons are shown and their presses reported. */
  hasButtons(): Promise<boolean>;
  /**
   * With buttons it resolves when one is pressed, when the notification is closed, when its daemon ends, or when the signal
   * aborts, which takes it away. Calls back once it is shown.
   */
  show(notification: Notification, signal: AbortSignal, onShown?: () => void): Promise<NotificationReply>;
}

export function createNotifications(machine: Pick<Machine, "env" | "platform">): Notifications {
  const { env, platform } = machine;
  if (platform === "darwin") return viaCommand(macCommand, env);
  if (platform === "win32") return viaCommand(windowsCommand, env);
  return viaDbus(env);
}

const server = {
  destination: "org.freedesktop.Notifications",
  path: "/org/freedesktop/Notifications",
  interface: "org.freedesktop.Notifications",
};
const urgencies = { low: 0, normal: 1, critical: 2 } as const;

/** Desktop Notifications Specification 1.2. */
function viaDbus(env: Machine["env"]): Notifications {
  async function open(signal?: AbortSignal): Promise<DbusConnection> {
    const address = busAddress("session", env);
    if (address === undefined) throw new Fault("unavailable", "There is no D-Bus session bus.");
    return openDbus(address, signal);
  }

  async function readCapabilities(): Promise<readonly unknown[]> {
    const bus = await open();
    try {
      const [capabilities] = await bus.call({ ...server, member: "GetCapabilities" });
      return Array.isArray(capabilities) ? capabilities : [];
    } finally {
      bus.close();
    }
  }

  return {
    async probe() {
      if (busAddress("session", env) === undefined)
        return {
          ok: false,
          reason: "there is no D-Bus session bus",
          fix: "start the node in your desktop session, or install the package `dbus-user-session`",
        };
      return readCapabilities().then(
        () => available,
        () => ({
          ok: false,
          reason: "no notification daemon answers on D-Bus",
          fix: "start the node in your desktop session, or install a daemon such as the package `dunst`",
        }),
      );
    },
    hasButtons: () =>
      readCapabilities().then(
        (capabilities) => capabilities.includes("actions"),
        () => false,
      ),
    async show({ title, body, urgency, sound, buttons = [], expireMs = 0 }, signal, onShown) {
      const bus = await open(signal);
      try {
        const [capabilities] = await bus.call({ ...server, member: "GetCapabilities" }, { signal });
        const hasMarkup = Array.isArray(capabilities) && capabilities.includes("body-markup");
        const pressed = buttons.length === 0 ? undefined : await listenForButtons(bus);
        const [id] = await bus.call(
          {
            ...server,
            member: "Notify",
            signature: "susssasa{sv}i",
            body: [
              "Clawport",
              0,
              "",
              title,
              hasMarkup ? escapeMarkup(body) : body,
              buttons.flatMap((label, index) => [String(index), label]),
              {
                urgency: { signature: "y", value: urgencies[urgency] },
                ...(sound !== undefined && { "sound-name": { signature: "s", value: sound } }),
              },
              // 0: it stays until it is answered. -1: as long as the desktop shows any.
              buttons.length === 0 ? -1 : expireMs,
            ],
          },
          { signal },
        );
        onShown?.();
        if (pressed === undefined) return { id: Number(id) };
        const { button, dismissed } = await pressed(Number(id), signal);
        // Not every daemon takes an answered notification away.
        await settledWithin(bus.call({ ...server, member: "CloseNotification", signature: "u", body: [id] }), 1000);
        return {
          id: Number(id),
          ...(button !== undefined && button < buttons.length && { button }),
          ...(dismissed && { dismissed }),
        };
      } finally {
        bus.close();
      }
    },
  };
}

/** Any program on the bus may send such a signal, so only the daemon's own count: the bus vouches for the sender. */
async function listenForButtons(bus: DbusConnection) {
  const owner = {
    destination: "org.freedesktop.DBus",
    path: "/org/freedesktop/DBus",
    interface: "org.freedesktop.DBus",
  };
  const [daemon] = await bus.call({ ...owner, member: "GetNameOwner", signature: "s", body: [server.destination] });
  const seen = new Map<unknown, SeenEnd>();
  let isDaemonGone = false;
  let check = (): void => {};
  await bus.listen(`type='signal',interface='${server.interface}',path='${server.path}'`, (message) => {
    const { sender, interface: from, member, body = [] } = message;
    if (sender !== daemon || from !== server.interface) return;
    if (member === "ActionInvoked" && !seen.has(body[0])) seen.set(body[0], { button: Number(body[1]) });
    if (member === "NotificationClosed" && !seen.has(body[0])) seen.set(body[0], { dismissed: body[1] === byUser });
    check();
  });
  const changes = `type='signal',sender='${owner.destination}',member='NameOwnerChanged',arg0='${server.destination}'`;
  await bus.listen(changes, ({ sender, member, body = [] }) => {
    if (sender !== owner.destination || member !== "NameOwnerChanged" || body[0] !== server.destination) return;
    isDaemonGone = true;
    check();
  });
  return async (id: number, signal: AbortSignal): Promise<SeenEnd> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    check = () => void ((seen.has(id) || isDaemonGone) && resolve());
    bus.onClose(resolve);
    check();
    await Promise.race([promise, untilAborted(signal)]);
    const { button, dismissed = false } = (signal.aborted ? undefined : seen.get(id)) ?? {};
    return { dismissed, ...(Number.isInteger(button) && button! >= 0 && { button: button! }) };
  };
}

/** What became of a notification, as its daemon says. */
interface SeenEnd {
  readonly button?: number;
  readonly dismissed?: boolean;
}

/** Desktop Notifications Specification, `NotificationClosed`: the user dismissed it. */
const byUser = 2;

function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

type NotifyCommand = (
  title: string,
  body: string,
) => {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

/** The texts are arguments of the script and never part of it. */
const macCommand: NotifyCommand = (title, body) => ({
  command: "/usr/bin/osascript",
  args: [
    ...["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"].flatMap(
      (line) => ["-e", line],
    ),
    "--",
    title,
    body,
  ],
});

const toastScript = `
[Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime] | Out-Null
$content = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)
$texts = $content.GetElementsByTagName("text")
$texts.Item(0).AppendChild($content.CreateTextNode($env:CLAWPORT_NOTIFY_TITLE)) | Out-Null
$texts.Item(1).AppendChild($content.CreateTextNode($env:CLAWPORT_NOTIFY_BODY)) | Out-Null
$toast = [Windows.UI.Notifications.ToastNotification]::new($content)
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier("Clawport").Show($toast)
`;

const windowsCommand: NotifyCommand = (title, body) => ({
  command: "powershell.exe",
  args: ["-NoProfile", "-NonInteractive", "-Command", toastScript],
  env: { CLAWPORT_NOTIFY_TITLE: title, CLAWPORT_NOTIFY_BODY: body },
});

/** macOS and Windows: without buttons, since their scripts report no presses. */
function viaCommand(toCommand: NotifyCommand, env: Machine["env"]): Notifications {
  return {
    probe: () => Promise.resolve(available),
    hasButtons: () => Promise.resolve(false),
    async show({ title, body }, signal) {
      const run = { ...toCommand(title, body), maxBytes: 4096, timeoutMs: 15_000, signal };
      const { code, stderr } = await runTool(run, env);
      if (code !== 0)
        throw new Fault("unavailable", `The system showed no notification: ${stderr.trim().slice(0, 300)}`);
      return {};
    },
  };
}
