import type { Capability } from "../capability.ts";
import { type DeviceSection, deviceSections, readDeviceInfo, readDeviceStatus } from "../device-facts.ts";
import type { Machine } from "../machine.ts";

/** `device.*`: what this computer is, and how it does. */
export const deviceCapabilities = (machine: Machine): readonly Capability[] => [
  deviceInfo(machine),
  deviceStatus(machine),
];

function deviceInfo(machine: Pick<Machine, "platform" | "version">): Capability {
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

const bytes = { type: "integer", minimum: 0 };

function deviceStatus(machine: Pick<Machine, "platform" | "homedir">): Capability {
  return {
    name: "device.status",
    title: "State of this computer",
    description: "Returns load, memory, disk, battery, network and uptime of this computer.",
    risk: "read",
    consent: "always",
    annotations: { idempotentHint: false },
    input: {
      type: "object",
      properties: {
        sections: {
          type: "array",
          items: { type: "string", enum: [...deviceSections] },
          maxItems: 10,
          description: "Which details to add; all unless given.",
        },
      },
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: {
        collectedAt: { type: "string" },
        os: { type: "object" },
        cpu: { type: "object" },
        memory: { type: "object" },
        disk: { type: "object" },
        battery: {
          type: "object",
          properties: {
            level: { type: ["number", "null"] },
            state: { type: "string", enum: ["unknown", "unplugged", "discharging", "charging", "full"] },
            lowPowerModeEnabled: { type: "boolean" },
          },
          required: ["state"],
        },
        thermal: {
          type: "object",
          properties: { state: { type: "string", enum: ["nominal", "fair", "serious", "critical"] } },
          required: ["state"],
        },
        storage: {
          type: "object",
          properties: { totalBytes: bytes, freeBytes: bytes, usedBytes: bytes },
          required: ["totalBytes", "freeBytes", "usedBytes"],
          additionalProperties: false,
        },
        network: {
          type: "object",
          properties: {
            status: { type: "string", enum: ["satisfied", "unsatisfied", "requiresConnection"] },
            interfaces: { type: "array", items: { type: "string", enum: ["wifi", "cellular", "wired", "other"] } },
          },
          required: ["status"],
        },
        uptimeSeconds: { type: "number" },
      },
      required: ["collectedAt", "uptimeSeconds"],
    },
    run: async ({ sections = deviceSections }) => ({
      payload: await readDeviceStatus(sections as readonly DeviceSection[], machine),
    }),
  };
}
