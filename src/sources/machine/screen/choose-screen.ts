import { Fault } from "../../../core/fault.ts";
import { type Availability, CapabilityFault } from "../capability.ts";
import type { DesktopTools } from "../desktop/desktop-tools.ts";
import type { DesktopWindows } from "./desktop-windows.ts";
import { createMacScreen } from "./mac-screen.ts";
import { createPowershellScreen } from "./powershell-screen.ts";
import { createPortalScreen } from "./portal-screen.ts";
import type { Screen } from "./screen.ts";
import { createSwayWindows } from "./sway-windows.ts";
import { createWaylandScreen } from "./wayland-screen.ts";
import { createX11Screen } from "./x11-screen.ts";
import { createX11Windows } from "./x11-windows.ts";

/** The screen, as the kind of desktop allows. */
export function createScreen(tools: DesktopTools): Screen {
  const { env, platform } = tools;
  if (platform === "darwin") return createMacScreen(tools);
  if (platform === "win32") return createPowershellScreen(tools);
  // A Wayland desktop shows X programs, too, but an X server there sees only those.
  if (env["WAYLAND_DISPLAY"]) return isClosed(env) ? createPortalScreen(tools) : createWaylandScreen(tools);
  return env["DISPLAY"] ? createX11Screen(tools) : noScreen;
}

/** Desktops that give out their pixels through a portal only. */
function isClosed(env: DesktopTools["env"]): boolean {
  return /gnome|kde|unity|cinnamon|pantheon|budgie|cosmic/i.test(env["XDG_CURRENT_DESKTOP"] ?? "");
}

const noDisplay = {
  ok: false,
  reason: "there is no display",
  fix: "start the node in your desktop session",
} as const;

const refuse = (): Promise<never> => Promise.reject(new Fault("unavailable", "There is no display."));

const noScreen: Screen = {
  probeList: () => Promise.resolve(noDisplay),
  probePicture: () => Promise.resolve(noDisplay),
  probeFilm: () => Promise.resolve(noDisplay),
  monitors: refuse,
  takePicture: refuse,
  film: refuse,
};

/** Its windows, as the kind of desktop allows. */
export function createDesktopWindows(tools: DesktopTools): DesktopWindows {
  const { env, platform } = tools;
  if (platform !== "linux") return without({ ok: false, reason: "windows can be listed on Linux only" });
  if (env["WAYLAND_DISPLAY"]) return env["SWAYSOCK"] ? createSwayWindows(tools) : without(closedDesktop);
  return env["DISPLAY"] ? createX11Windows(tools) : without(noDisplay);
}

const closedDesktop = {
  ok: false,
  reason: "this Wayland desktop does not let programs see its windows; sway does",
  fix: "start the node in a sway or an X11 session",
} as const;

function without(missing: Extract<Availability, { ok: false }>): DesktopWindows {
  const refuse = (): Promise<never> =>
    Promise.reject(new CapabilityFault("WINDOWS_UNAVAILABLE", `Windows can't be used: ${missing.reason}.`));
  return {
    backend: "none",
    probeList: () => Promise.resolve(missing),
    probeFocus: () => Promise.resolve(missing),
    list: refuse,
    require: refuse,
    focus: refuse,
  };
}
