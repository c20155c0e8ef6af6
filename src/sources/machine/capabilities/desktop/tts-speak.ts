import { CapabilityFault, type Capability, unavailableText } from "../../capability.ts";
import type { MediaStore } from "../../desktop/media-store.ts";
import { withSeconds } from "../../desktop/recordings.ts";
import type { Sound } from "../../voice/sound.ts";
import { type Speech, soundLengthMs } from "../../voice/speech.ts";
import { createSerialQueue } from "../../../../core/serial-queue.ts";

export interface TtsSpeakOptions {
  readonly speech: Speech;
  readonly sound: Sound;
  readonly store: MediaStore;
}

export function ttsSpeak({ speech, sound, store }: TtsSpeakOptions): Capability {
  /** One voice at a time: the next waits for the last. */
  const runSerially = createSerialQueue();
  let interrupt = new AbortController();

  return {
    name: "tts.speak",
    title: "Speak",
    description: "Speaks a text through the loudspeaker of this computer, or into a WAV file (`output: file`).",
    risk: "write",
    consent: "always",
    input: {
      type: "object",
      properties: {
        text: { type: "string", minLength: 1, maxLength: 5000 },
        provider: { type: "string", maxLength: 40, description: "Another one than tts.status has is refused." },
        voiceId: {
          type: "string",
          pattern: "^[A-Za-z0-9][A-Za-z0-9+_ -]{0,63}$",
          description: "With espeak-ng a language: `en-gb`, `de`, `en+f3`.",
        },
        model: { type: "string", maxLength: 100, description: "Not used." },
        rate: { type: "integer", minimum: 80, maximum: 450, description: "Words a minute." },
        interrupt: { type: "boolean", default: false, description: "Ends what is being spoken, and does not wait." },
        output: { type: "string", enum: ["speaker", "file"], default: "speaker" },
      },
      required: ["text"],
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: {
        spoken: { type: "boolean" },
        provider: { type: "string" },
        requestedProvider: { type: "string" },
        fellBack: { type: "boolean" },
        contentType: { type: "string" },
        durationMs: { type: "integer" },
        path: { type: "string" },
      },
      required: ["spoken", "provider", "contentType"],
    },
    probe: () => speech.probe(),
    async run(args, { caller, signal, progress }) {
      const { provider: requested, voiceId, rate } = args as { provider?: string; voiceId?: string; rate?: number };
      const { provider } = speech;
      if (requested !== undefined && requested !== provider)
        throw new CapabilityFault("TTS_UNAVAILABLE", `This computer speaks with ${provider} only.`);
      const isFile = args["output"] === "file";
      if (!isFile) {
        const output = await sound.probeOutput();
        if (!output.ok)
          throw new CapabilityFault(
            "TTS_UNAVAILABLE",
            `Nothing can be heard: ${unavailableText(output)} Use \`output: file\` for a WAV file.`,
          );
      }
      if (args["interrupt"] === true) {
        interrupt.abort(new CapabilityFault("CANCELLED", "Another text interrupted this one.", { code: "cancelled" }));
        interrupt = new AbortController();
      }
      const path = await store.createFile("speech", "wav");
      try {
        // Programs take a NUL for the end.
        const text = String(args["text"]).replaceAll("\0", " ");
        await speech.synthesize({ text, voice: voiceId, rate }, path, signal);
        const durationMs = await soundLengthMs(path);
        const facts = { spoken: !isFile, provider, contentType: "audio/wav", durationMs };
        const more = requested === undefined ? {} : { requestedProvider: requested, fellBack: false };
        if (isFile) {
          const { media } = await store.keepFile({ path, mimeType: "audio/wav", title: "Speech" }, caller);
          return { payload: { ...facts, ...more, path }, text: `Saved to ${path} (${durationMs} ms).`, media };
        }
        const ended = AbortSignal.any([signal, interrupt.signal]);
        const play = () => sound.play(path, { timeoutMs: durationMs + 30_000, signal: ended });
        await runSerially(() => withSeconds({ durationMs, progress }, play), ended);
        await store.discard(path);
        return { payload: { ...facts, ...more } };
      } catch (error) {
        await store.discard(path);
        throw error;
      }
    },
  };
}
