import type { Capability } from "../capability.ts";
import { readDeviceInfo } from "../device-facts.ts";
import type { Machine } from "../machine.ts";

export function deviceInfo(machine: Pick<Machine, "platform" | "version">): Capability {
  return {
    name: "device.info",
    title: "About this computer",
    description: "Returns the name, model and system of this computer.",
    risk: "read",
    consent: "always",
    input: { type: "object", properties: {}, additionalProperties: false },
    output: {
      type: "object",
      properties: {
        deviceName: { type: "string" },
        modelIdentifier: { type: "string" },
        systemName: { type: "string" },
        systemVersion: { type: "string" },
        appVersion: { type: "string" },
        appBuild: { type: "string" },
        locale: { type: "string" },
      },
      required: ["deviceName", "systemName", "systemVersion", "appVersion", "locale"],
    },
    run: async () => ({ payload: await readDeviceInfo(machine) }),
  };
}
