import type { Caller } from "../../../../catalog/caller.ts";
import { type CapabilityAnswer, CapabilityFault } from "../../capability.ts";
import { unavailableText } from "../../capability.ts";
import type { MediaStore } from "../../desktop/media-store.ts";
import type { Recordings } from "../../desktop/recordings.ts";
import type { Sound } from "../../voice/sound.ts";

/** What everything that records needs. */
export interface VideoParts {
  readonly store: MediaStore;
  readonly recordings: Recordings;
  readonly sound: Sound;
}

export const videoOutput = {
  format: { type: "string", enum: ["mp4", "webm"] },
  durationMs: { type: "integer" },
  fps: { type: "number" },
  hasAudio: { type: "boolean" },
  bytes: { type: "integer" },
  path: { type: "string", description: "The file on this computer." },
} as const;

/** ffmpeg's input for the microphone. Faults if there is none. */
export async function requireMicrophone(sound: Sound): Promise<readonly string[]> {
  const availability = await sound.probeMicrophone();
  if (!availability.ok)
    throw new CapabilityFault("MIC_UNAVAILABLE", `Sound can't be recorded: ${unavailableText(availability)}`);
  return sound.microphoneInput();
}

/** Has a film written to a new file, and returns it as a link. A film that does not come about leaves no file. */
export async function videoAnswer(
  film: { readonly kind: "screen" | "camera"; readonly title: string; readonly format: "mp4" | "webm" },
  store: MediaStore,
  caller: Caller,
  write: (path: string) => Promise<Readonly<Record<string, unknown>>>,
): Promise<CapabilityAnswer> {
  const { kind, title, format } = film;
  const path = await store.createFile(kind, format);
  try {
    const facts = await write(path);
    const { bytes, media } = await store.keepFile({ path, mimeType: `video/${format}`, title }, caller);
    return {
      payload: { format, ...facts, bytes, path },
      text: `${title}: saved to ${path} (${bytes} bytes).`,
      media,
    };
  } catch (error) {
    await store.discard(path);
    throw error;
  }
}
