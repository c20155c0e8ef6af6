import { asRecord } from "../../../core/is-record.ts";
import { visibleText } from "../../../core/text/peer-text.ts";
import type { DesktopTools } from "../desktop/desktop-tools.ts";
import { type DesktopWindow, type DesktopWindows, maxWindows, windowNotFound } from "./desktop-windows.ts";

const programs = { swaymsg: "sway" };
const maxTreeBytes = 4 * 1024 * 1024;

/** sway and what speaks its protocol (sway-ipc(7)). */
export function createSwayWindows(tools: DesktopTools): DesktopWindows {
  async function list(signal: AbortSignal): Promise<readonly DesktopWindow[]> {
    const options = { signal, maxBytes: maxTreeBytes };
    const text = (await tools.run(["swaymsg", "-r", "-t", "get_tree"], options)).toString("utf8");
    return windowsIn(JSON.parse(text)).slice(0, maxWindows);
  }

  async function require(id: string, signal: AbortSignal): Promise<void> {
    if (!(await list(signal)).some((window) => window.id === id)) throw windowNotFound(id);
  }

  return {
    backend: "sway",
    probeList: () => tools.need(programs),
    probeFocus: () => tools.need(programs),
    list,
    require,
    async focus(id, signal) {
      await require(id, signal);
      await tools.run(["swaymsg", `[con_id=${Number(id)}] focus`], { signal });
      return (await list(signal)).some((window) => window.id === id && window.focused);
    },
  };
}

/** The windows are the leaves of the tree that have a program. */
export function windowsIn(tree: unknown, workspace: string | null = null): readonly DesktopWindow[] {
  const node = asRecord(tree);
  const { id, name, type, pid, app_id: app, focused, rect, nodes, floating_nodes: floating } = node;
  const { x, y, width, height } = asRecord(rect);
  const title = typeof name === "string" ? visibleText(name, 300) : "";
  const inside = type === "workspace" ? title : workspace;
  const below = [nodes, floating].flatMap((list) => (Array.isArray(list) ? list : []));
  if (below.length > 0) return below.flatMap((child) => windowsIn(child, inside));
  if (typeof pid !== "number" || typeof id !== "number") return [];
  const className = asRecord(node["window_properties"])["class"];
  return [
    {
      id: String(id),
      title,
      app: visibleText([app, className].find((text) => typeof text === "string") ?? "", 300),
      pid,
      focused: focused === true,
      // What is put away is in the scratchpad.
      minimized: inside === "__i3_scratch",
      workspace: inside,
      bounds: { x: Number(x), y: Number(y), width: Number(width), height: Number(height) },
    },
  ];
}
