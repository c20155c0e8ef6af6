import { type Capability, invalidRequest } from "../capability.ts";
import type { Machine } from "../machine.ts";

/** The latest calls, so that an agent can see what others did. */
export function appActivity({ activity }: Pick<Machine, "activity">): Capability {
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
