import type { Capability } from "../../capability.ts";
import type { DesktopWindows } from "../../screen/desktop-windows.ts";

export function windowsFocus(windows: DesktopWindows): Capability {
  return {
    name: "windows.focus",
    title: "Bring a window to the front",
    description: "Brings a window to the front and gives it the keyboard.",
    risk: "write",
    consent: "ask",
    input: {
      type: "object",
      properties: { id: { type: "string", maxLength: 40, description: "An `id` of windows.list." } },
      required: ["id"],
      additionalProperties: false,
    },
    output: { type: "object", properties: { focused: { type: "boolean" } }, required: ["focused"] },
    probe: () => windows.probeFocus(),
    run: async ({ id }, { signal }) => ({ payload: { focused: await windows.focus(String(id), signal) } }),
  };
}
