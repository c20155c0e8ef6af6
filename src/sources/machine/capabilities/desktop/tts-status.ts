import type { Capability } from "../../capability.ts";
import type { Sound } from "../../voice/sound.ts";
import type { Speech } from "../../voice/speech.ts";

export function ttsStatus(speech: Speech, sound: Sound): Capability {
  return {
    name: "tts.status",
    title: "Whether this computer can speak",
    description: "Shows what tts.speak uses, and whether there is a loudspeaker.",
    risk: "read",
    consent: "always",
    input: { type: "object", properties: {}, additionalProperties: false },
    output: {
      type: "object",
      properties: {
        effectiveProvider: { type: ["string", "null"] },
        willFallBack: { type: "boolean" },
        audioDevice: { type: "boolean" },
        providers: {
          type: "array",
          items: {
            type: "object",
            properties: {
              provider: { type: "string" },
              readiness: { type: "string", enum: ["ready", "unavailable"] },
              isReady: { type: "boolean" },
            },
            required: ["provider", "readiness", "isReady"],
          },
        },
      },
      required: ["providers"],
    },
    async run() {
      const { provider } = speech;
      const [{ ok: isReady }, { ok: audioDevice }] = await Promise.all([speech.probe(), sound.probeOutput()]);
      return {
        payload: {
          effectiveProvider: isReady ? provider : null,
          willFallBack: false,
          audioDevice,
          providers: [{ provider, readiness: isReady ? "ready" : "unavailable", isReady }],
        },
      };
    },
  };
}
