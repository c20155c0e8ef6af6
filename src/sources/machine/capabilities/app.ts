import { type Capability, type ConsentMode, invalidRequest } from "../capability.ts";
import type { ActiveRecording } from "../desktop/recordings.ts";
import type { Machine } from "../machine.ts";
import type { CapabilityRegistry } from "../registry.ts";

/** `app.*`: what this node offers, and what was done with it. */
export const appCapabilities = (options: AppStatusOptions & Pick<Machine, "activity">): readonly Capability[] => [
  appStatus(options),
  appActivity(options),
];

interface AppStatusOptions extends Pick<Machine, "version" | "mcp" | "gateway"> {
  readonly registry: Pick<CapabilityRegistry, "list" | "probe">;
  modeOf(capability: Capability): ConsentMode;
  recordings(): readonly ActiveRecording[];
}

const shownRecording = ({ what, tool, since, seconds, caller }: ActiveRecording) => ({
  what,
  tool,
  since,
  seconds,
  caller,
});

/** What this node offers, and what it lacks. */
function appStatus({ version, mcp, gateway, registry, modeOf, recordings }: AppStatusOptions): Capability {
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
            properties: {
              what: { type: "string" },
              tool: { type: "string" },
              since: { type: "string" },
              seconds: { type: "integer", description: "How long it may take." },
              caller: { type: "string" },
            },
            required: ["what", "tool", "since", "seconds", "caller"],
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
      await registry.probe();
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
      return {
        payload: { version, mcp: mcp(), gateway: gateway(), recording: recordings().map(shownRecording), capabilities },
      };
    },
  };
}

/** The latest calls, so that an agent can see what others did. */
function appActivity({ activity }: Pick<Machine, "activity">): Capability {
  return {
    name: "app.activity",
    title: "Recent activity",
    description: "Lists the latest calls of this computer's tools, newest first, without their arguments.",
    risk: "read",
    consent: "always",
    localOnly: true,
    input: {
      type: "object",
      properties: {
        limit: { type: "integer", minimum: 1, maximum: 500, default: 50 },
        since: { type: "string", maxLength: 40, description: "Only calls after this time (ISO 8601)." },
      },
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: {
        entries: {
          type: "array",
          items: {
            type: "object",
            properties: {
              ts: { type: "string" },
              transport: { enum: ["mcp", "gateway", "cli"] },
              command: { type: "string" },
              ok: { type: "boolean" },
              durationMs: { type: "integer" },
              errorCode: { type: "string" },
              decision: { type: "string" },
            },
            required: ["ts", "transport", "command", "ok"],
          },
        },
      },
      required: ["entries"],
      additionalProperties: false,
    },
    run({ limit = 50, since }) {
      const after = since === undefined ? -Infinity : Date.parse(since as string);
      if (Number.isNaN(after)) throw invalidRequest("`since` must be a time such as 2026-01-31T12:00:00Z.");
      const entries = activity().filter(({ ts }) => Date.parse(ts) > after);
      return { payload: { entries: entries.slice(0, Number(limit)) } };
    },
  };
}
