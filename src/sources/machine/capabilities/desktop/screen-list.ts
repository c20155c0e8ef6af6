import type { Capability } from "../../capability.ts";
import type { Screen } from "../../screen/screen.ts";

export function screenList(screen: Screen): Capability {
  return {
    name: "screen.list",
    title: "List the screens",
    description: "Lists the monitors of this computer. Their `index` is what screen.snapshot and screen.record take.",
    risk: "read",
    consent: "always",
    input: { type: "object", properties: {}, additionalProperties: false },
    output: {
      type: "object",
      properties: {
        screens: {
          type: "array",
          items: {
            type: "object",
            properties: {
              index: { type: "integer" },
              name: { type: "string" },
              primary: { type: "boolean" },
              x: { type: "integer" },
              y: { type: "integer" },
              width: { type: "integer" },
              height: { type: "integer" },
              scale: { type: "number" },
            },
            required: ["index", "x", "y", "width", "height"],
          },
        },
      },
      required: ["screens"],
    },
    probe: () => screen.probeList(),
    run: async (_, { signal }) => ({ payload: { screens: await screen.monitors(signal) } }),
  };
}
