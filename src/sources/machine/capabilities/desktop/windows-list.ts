import type { Capability } from "../../capability.ts";
import type { DesktopWindows } from "../../screen/desktop-windows.ts";

export function windowsList(windows: DesktopWindows): Capability {
  return {
    name: "windows.list",
    title: "List the windows",
    description:
      "Lists the windows on the desktop of this computer with their titles. Their `id` is what screen.snapshot and windows.focus take.",
    risk: "sensitive-read",
    consent: "ask",
    input: {
      type: "object",
      properties: { includeMinimized: { type: "boolean", default: true } },
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: {
        windows: {
          type: "array",
          items: {
            type: "object",
            properties: {
              id: { type: "string" },
              title: { type: "string" },
              app: { type: "string" },
              pid: { type: ["integer", "null"] },
              focused: { type: "boolean" },
              minimized: { type: "boolean" },
              workspace: { type: ["integer", "string", "null"] },
              bounds: {
                type: "object",
                properties: {
                  x: { type: "integer" },
                  y: { type: "integer" },
                  width: { type: "integer" },
                  height: { type: "integer" },
                },
              },
            },
            required: ["id", "title"],
          },
        },
        backend: { type: "string" },
      },
      required: ["windows"],
    },
    probe: () => windows.probeList(),
    async run({ includeMinimized = true }, { signal }) {
      const listed = await windows.list(signal);
      const shown = includeMinimized === true ? listed : listed.filter(({ minimized }) => !minimized);
      return { payload: { windows: shown, backend: windows.backend } };
    },
  };
}
