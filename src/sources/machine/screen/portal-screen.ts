import { lstat, readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Fault } from "../../../core/fault.ts";
import { withDeadline } from "../../../core/wait.ts";
import { type Availability, available, CapabilityFault, invalidRequest } from "../capability.ts";
import { busAddress, type DbusConnection, openDbus } from "../dbus/connection.ts";
import type { DesktopTools } from "../desktop/desktop-tools.ts";
import { encodePicture } from "./encode-picture.ts";
import type { Screen } from "./screen.ts";

const service = "org.freedesktop.portal.Desktop";
const portal = { destination: service, path: "/org/freedesktop/portal/desktop" };
const screenshot = "org.freedesktop.portal.Screenshot";
const request = "org.freedesktop.portal.Request";
const daemon = {
  destination: "org.freedesktop.DBus",
  path: "/org/freedesktop/DBus",
  interface: "org.freedesktop.DBus",
};

/** The desktop may ask the user first. */
const answerMs = 60_000;
const maxFileBytes = 256 * 1024 * 1024;

const missing: Availability = {
  ok: false,
  reason: "no desktop portal answers on D-Bus",
  fix: "start the node in your desktop session, or install the package `xdg-desktop-portal`",
};
const wholeOnly: Availability = {
  ok: false,
  reason: "this Wayland desktop shows programs only its screen as a whole",
  fix: "use an X11 or a sway session",
};
const refuse = (): Promise<never> =>
  Promise.reject(new Fault("unavailable", "This Wayland desktop shows programs only its screen as a whole."));

/** GNOME, KDE and others on Wayland give out pictures through their portal only, and of the whole desktop. */
export function createPortalScreen(tools: DesktopTools): Screen {
  async function open(signal?: AbortSignal): Promise<DbusConnection> {
    const address = busAddress("session", tools.env);
    if (address === undefined) throw new Fault("unavailable", "There is no D-Bus session bus.");
    return openDbus(address, signal);
  }

  async function isThere(): Promise<boolean> {
    const bus = await open();
    try {
      const get = { ...portal, interface: "org.freedesktop.DBus.Properties", member: "Get", signature: "ss" };
      await bus.call({ ...get, body: [screenshot, "version"] });
      return true;
    } finally {
      bus.close();
    }
  }

  return {
    seesWholeOnly: true,
    probeList: () => Promise.resolve(wholeOnly),
    probeFilm: () => Promise.resolve(wholeOnly),
    probePicture: () =>
      isThere().then(
        () => available,
        () => missing,
      ),
    monitors: refuse,
    film: refuse,
    async takePicture({ monitor, window }, format, signal) {
      if (monitor !== undefined || window !== undefined)
        throw invalidRequest("This desktop gives out pictures of its whole screen only. Leave the choice out.");
      const bus = await open(signal);
      try {
        const uri = await withDeadline(answerMs, signal, (ended) => askPortal(bus, ended));
        return await encodePicture(tools, await takeFile(uri), format, signal);
      } finally {
        bus.close();
      }
    },
  };
}

/** The answer comes as a signal of the request, and only that of the portal itself counts. */
async function askPortal(bus: DbusConnection, signal: AbortSignal): Promise<unknown> {
  const ask = { ...daemon, member: "GetNameOwner", signature: "s" };
  // A portal that is not running yet is started by the first call.
  await bus.call({ ...portal, interface: "org.freedesktop.DBus.Peer", member: "Ping" }, { signal });
  const [owner] = await bus.call({ ...ask, body: [service] }, { signal });
  const answers = new Map<unknown, readonly unknown[]>();
  let check = (): void => {};
  await bus.listen(`type='signal',interface='${request}',member='Response'`, ({ sender, path, body = [] }) => {
    if (sender !== owner || answers.size > 10) return;
    answers.set(path, body);
    check();
  });
  const call = { ...portal, interface: screenshot, member: "Screenshot", signature: "sa{sv}" };
  const [handle] = await bus.call(
    { ...call, body: ["", { interactive: { signature: "b", value: false } }] },
    { signal },
  );
  const answered = Promise.withResolvers<readonly unknown[]>();
  check = () => {
    const body = answers.get(handle);
    if (body !== undefined) answered.resolve(body);
  };
  check();
  const [code, results] = await answered.promise;
  if (code === 1) throw new CapabilityFault("CONSENT_DENIED", "The user refused the picture.", { code: "denied" });
  const uri = results instanceof Map ? (results as Map<unknown, unknown>).get("uri") : undefined;
  if (code !== 0 || uri === undefined) throw new Fault("unavailable", "The desktop gave no picture.");
  return uri;
}

/** The portal writes a new file for each picture and leaves it to the caller. */
async function takeFile(uri: unknown): Promise<Buffer> {
  const path = typeof uri === "string" && uri.startsWith("file:///") ? fileURLToPath(uri) : undefined;
  const facts = path === undefined ? undefined : await lstat(path).catch(() => undefined);
  if (path === undefined || facts?.isFile() !== true || facts.size > maxFileBytes)
    throw new Fault("unavailable", "The desktop gave no picture.");
  try {
    return await readFile(path);
  } finally {
    await rm(path, { force: true });
  }
}
