import type { Capability, ConsentMode } from "../capability.ts";
import type { Machine } from "../machine.ts";
import type { CapabilityRegistry } from "../registry.ts";

export interface AppStatusOptions extends Pick<Machine, "version" | "mcp" | "gateway"> {
  readonly registry: Pick<CapabilityRegistry, "list" | "look">;
  modeOf(capability: Capability): ConsentMode;
}

/** What this node offers, and what it lacks. */
export function appStatus({ version, mcp, gateway, registry, modeOf }: AppStatusOptions): Capability {
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
      required: ["version", "mcp", "gateway", "capabilities"],
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
      return { payload: { version, mcp: mcp(), gateway: gateway(), capabilities } };
    },
  };
}
