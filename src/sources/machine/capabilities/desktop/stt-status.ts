import { basename } from "node:path";
import type { Capability } from "../../capability.ts";
import { probeStt, type SttOptions } from "./stt-transcribe.ts";

export function sttStatus(options: Pick<SttOptions, "settings" | "tools">): Capability {
  return {
    name: "stt.status",
    title: "Whether this computer understands speech",
    description: "Shows which program stt.transcribe uses, and whether it is installed.",
    risk: "read",
    consent: "always",
    input: { type: "object", properties: {}, additionalProperties: false },
    output: {
      type: "object",
      properties: {
        engine: { type: ["string", "null"] },
        readiness: { type: "string", enum: ["ready", "unavailable"] },
        reason: { type: "string" },
      },
      required: ["readiness"],
    },
    async run() {
      const availability = await probeStt(options);
      const [program] = options.settings.stt.command;
      return {
        payload: {
          engine: program === undefined ? null : basename(program),
          readiness: availability.ok ? "ready" : "unavailable",
          ...(!availability.ok && { reason: availability.reason }),
        },
      };
    },
  };
}
