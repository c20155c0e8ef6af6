import type { Capability, ConsentMode } from "../capability.ts";
import type { ActiveRecording } from "../desktop/recordings.ts";
import type { Machine } from "../machine.ts";
import type { CapabilityRegistry } from "../registry.ts";

export interface AppStatusOptions extends Pick<Machine, "version" | "mcp" | "gateway"> {
  readonly registry: Pick<CapabilityRegistry, "list" | "look">;
  modeOf(capability: Capability): ConsentMode;
  recordings(): readonly ActiveRecording[];
}

/** What this node offers, and what it lacks. */
export function appStatus({ version, mcp, gateway, registry, modeOf, recordings }: AppStatusOptions): Capability {
  return {
    name: "app.status",
    title: "Status of this node",
    description:
      "Shows which tools of this computer can be used, what the others lack, and which need the user's consent.",
    risk: "read",
    consent: "always",
    localOnly: true,
    input: { type: "object", properties: {}, additionalProperties: false },
    output: {
      type: "object",
      properties: {
        version: { type: "string" },
        mcp: {
          type: "object",
          properties: { listening: { type: "boolean" }, url: { type: "string" } },
          required: ["listening"],
        },
        gateway: { type: "object", properties: { state: { type: "string" } }, required: ["state"] },
        recording: {
          type: "array",
          description: "What is being recorded now.",
          items: {
            type: "object",
            properties: { what: { type: "string" }, since: { type: "string" }, caller: { type: "string" } },
            required: ["what", "since", "caller"],
          },
        },
        capabilities: {
          type: "object",
          additionalProperties: {
            type: "object",
            properties: {
              available: { type: "boolean" },
              reason: { type: "string" },
              fix: { type: "string" },
              consent: { enum: ["off", "ask", "session", "always"] },
            },
            required: ["available", "consent"],
          },
        },
      },
      required: ["version", "mcp", "gateway", "recording", "capabilities"],
    },
    async run() {
      await registry.look();
      const capabilities = Object.fromEntries(
        registry.list().map(({ capability, availability }) => [
          capability.name,
          {
            available: availability.ok,
            ...(!availability.ok && { reason: availability.reason }),
            ...(!availability.ok && availability.fix !== undefined && { fix: availability.fix }),
            consent: modeOf(capability),
          },
        ]),
      );
      return { payload: { version, mcp: mcp(), gateway: gateway(), recording: recordings(), capabilities } };
    },
  };
}
