import { visibleText } from "../../../core/text/peer-text.ts";
import { sleep } from "../../../core/wait.ts";
import { CapabilityFault } from "../capability.ts";
import type { DesktopTools } from "../desktop/desktop-tools.ts";
import { type DesktopWindow, type DesktopWindows, maxWindows, windowNotFound } from "./desktop-windows.ts";

const listPrograms = { xprop: "x11-utils", xwininfo: "x11-utils" };
const focusPrograms = { ...listPrograms, wmctrl: "wmctrl" };

/** X11: the window manager keeps the list of windows on the root window (Extended Window Manager Hints). */
export function createX11Windows(tools: DesktopTools): DesktopWindows {
  async function readRoot(signal: AbortSignal): Promise<{ ids: readonly string[]; active: string | undefined }> {
    const command = ["xprop", "-root", "-notype", "_NET_SUPPORTING_WM_CHECK", "_NET_CLIENT_LIST", "_NET_ACTIVE_WINDOW"];
    const text = (await tools.run(command as ["xprop"], { signal })).toString("utf8");
    if (!/^_NET_SUPPORTING_WM_CHECK\b.*# 0x/m.test(text))
      throw new CapabilityFault("WINDOWS_UNAVAILABLE", "No window manager runs on this display.");
    const idsOf = (name: string): readonly string[] =>
      new RegExp(`^${name}\\b.*# (.*)$`, "m").exec(text)?.[1]?.match(/0x[0-9a-f]+/g) ?? [];
    return { ids: idsOf("_NET_CLIENT_LIST"), active: idsOf("_NET_ACTIVE_WINDOW")[0] };
  }

  /** Undefined if it was closed in the meantime. */
  async function readWindow(id: string, isActive: boolean, signal: AbortSignal): Promise<DesktopWindow | undefined> {
    try {
      // The titles come last: whatever a program writes into them, the lines before are not its own.
      const names = ["_NET_WM_PID", "_NET_WM_STATE", "_NET_WM_DESKTOP", "WM_CLASS", "_NET_WM_NAME", "WM_NAME"];
      const text = (await tools.run(["xprop", "-id", id, "-notype", ...names], { signal })).toString("utf8");
      const bounds = await readWindowFrame(tools, id, signal);
      const pid = /^_NET_WM_PID = (\d+)/m.exec(text)?.[1];
      const workspace = /^_NET_WM_DESKTOP = (\d+)/m.exec(text)?.[1];
      return {
        id,
        title: stringOf(text, "_NET_WM_NAME") ?? stringOf(text, "WM_NAME") ?? "",
        app: stringOf(text, "WM_CLASS")?.split('", "').at(-1) ?? "",
        pid: pid === undefined ? null : Number(pid),
        focused: isActive,
        minimized: /^_NET_WM_STATE = .*_NET_WM_STATE_HIDDEN/m.test(text),
        // All bits set: it is on every workspace.
        workspace: workspace === undefined || workspace === "4294967295" ? null : Number(workspace),
        bounds,
      };
    } catch (error) {
      if (signal.aborted) throw error;
      return undefined;
    }
  }

  return {
    backend: "x11",
    probeList: () => tools.need(listPrograms),
    probeFocus: () => tools.need(focusPrograms),
    async list(signal) {
      const { ids, active } = await readRoot(signal);
      const windows: DesktopWindow[] = [];
      for (const id of ids.slice(0, maxWindows)) {
        const window = await readWindow(id, id === active, signal);
        if (window !== undefined) windows.push(window);
      }
      return windows;
    },
    async require(id, signal) {
      if (!(await readRoot(signal)).ids.includes(id)) throw windowNotFound(id);
    },
    async focus(id, signal) {
      if (!(await readRoot(signal)).ids.includes(id)) throw windowNotFound(id);
      await tools.run(["wmctrl", "-i", "-a", id], { signal });
      for (let round = 0; round < focusRounds; round++) {
        if ((await readRoot(signal)).active === id) return true;
        await sleep(focusEveryMs, signal);
      }
      return false;
    },
  };
}

const focusEveryMs = 50;
const focusRounds = 20;

/** Where a window is, without the frame that the window manager draws. */
export async function readWindowFrame(
  tools: DesktopTools,
  id: string,
  signal: AbortSignal,
): Promise<DesktopWindow["bounds"]> {
  const text = (await tools.run(["xwininfo", "-id", id], { signal })).toString("utf8");
  // The title comes first: whatever it says, the last such line is the system's.
  const last = (name: string): number =>
    Number([...text.matchAll(new RegExp(`^\\s*${name}:\\s+(-?\\d+)`, "gm"))].at(-1)?.[1] ?? 0);
  return {
    x: last("Absolute upper-left X"),
    y: last("Absolute upper-left Y"),
    width: last("Width"),
    height: last("Height"),
  };
}

function stringOf(text: string, name: string): string | undefined {
  const value = new RegExp(`^${name} = "(.*)"$`, "m").exec(text)?.[1];
  return value === undefined ? undefined : visibleText(value.replaceAll(/\\(["\\])/g, "$1"), 300);
}
