import { basename } from "node:path";
import type { MachineConfig } from "../../../../core/config/machine-config.ts";
import { isFault } from "../../../../core/fault.ts";
import { type Capability, CapabilityFault, invalidRequest } from "../../capability.ts";
import type { DesktopCommand, DesktopTools } from "../../desktop/desktop-tools.ts";
import type { MediaStore } from "../../desktop/media-store.ts";
import { type Recordings, withSeconds } from "../../desktop/recordings.ts";
import type { Sound } from "../../voice/sound.ts";
import { requireMicrophone } from "./video-answer.ts";

export interface SttOptions {
  /** `stt.command` is read at each call: a program and its arguments. Empty if none is configured. */
  readonly settings: Pick<MachineConfig, "stt">;
  readonly tools: DesktopTools;
  readonly store: MediaStore;
  readonly recordings: Recordings;
  readonly sound: Sound;
}

const maxTextBytes = 256 * 1024;
const timeoutMs = 300_000;

export async function probeStt({ settings, tools }: Pick<SttOptions, "settings" | "tools">) {
  const [program] = settings.stt.command;
  if (program === undefined)
    return {
      ok: false,
      reason: "no program for speech-to-text is configured",
      fix: 'set `machine.stt.command`, for example to `["whisper-cli", "-f", "{file}", …]`',
    } as const;
  if (await tools.has(program)) return { ok: true } as const;
  return { ok: false, reason: `${program} was not found`, fix: "check `machine.stt.command`" } as const;
}

export function sttTranscribe(options: SttOptions): Capability {
  const { settings, tools, store, recordings, sound } = options;

  async function transcribe(file: string, language: string, signal: AbortSignal): Promise<string> {
    const { command } = settings.stt;
    const words = command.map((word) => word.replaceAll("{file}", file).replaceAll("{language}", language));
    const run = { signal, timeoutMs, maxBytes: maxTextBytes, pidNamespace: "auto" } as const;
    const text = await tools
      .run(words as [string, ...string[]] satisfies DesktopCommand, run)
      .catch((cause: unknown) => {
        if (!isFault(cause, "unavailable")) throw cause;
        // What it printed may show its arguments, and with them a key.
        const message = `${basename(command[0] ?? "")} failed. Run the command of \`machine.stt.command\` at a terminal to see why.`;
        throw new CapabilityFault("STT_ENGINE_UNAVAILABLE", message);
      });
    return text.toString("utf8").trim();
  }

  return {
    name: "stt.transcribe",
    title: "Listen and write down",
    description:
      "Records the microphone and returns what was said as text. The user sees that it records, and can stop it. With `path` it takes a file that tts.speak or camera.clip has made.",
    risk: "sensitive-read",
    consent: "ask",
    input: {
      type: "object",
      properties: {
        maxDurationMs: { type: "integer", minimum: 1, maximum: 30_000, default: 10_000 },
        language: { type: "string", pattern: "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$", maxLength: 35 },
        path: { type: "string", maxLength: 4096 },
      },
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: {
        transcribed: { type: "boolean" },
        text: { type: "string" },
        durationMs: { type: "integer" },
        language: { type: "string" },
        engineEffective: { type: "string" },
      },
      required: ["transcribed", "text", "engineEffective"],
    },
    probe: () => probeStt(options),
    async run(args, context) {
      const { language = "auto", path, maxDurationMs } = args as TranscribeArgs;
      const engineEffective = basename(settings.stt.command[0] ?? "");
      const answer = (text: string, more: object) => ({
        payload: { transcribed: text !== "", text, language, engineEffective, ...more },
        text: text === "" ? "Nothing was said." : text,
      });
      if (path !== undefined) {
        const known = store.findFile(path, context.caller);
        if (known === undefined) throw invalidRequest("`path` is not a file that this node has made for you.");
        return withSeconds({ durationMs: 1, progress: context.progress }, async () =>
          answer(await transcribe(known, language, context.signal), {}),
        );
      }
      let heard = 0;
      const progress: typeof context.progress = (step) => {
        heard = step.progress;
        context.progress(step);
      };
      const durationMs = maxDurationMs ?? 10_000;
      const input = await requireMicrophone(sound);
      const file = await store.createFile("microphone", "wav");
      try {
        await recordings.during(
          { ...context, tool: "stt.transcribe", progress, what: ["microphone"], durationMs },
          (signal) => recordSound(tools, input, file, durationMs, signal),
        );
        // Progress only ever grows.
        const later: typeof progress = (step) => context.progress({ progress: heard + step.progress });
        const text = await withSeconds({ durationMs: 1, progress: later }, () =>
          transcribe(file, language, context.signal),
        );
        return answer(text, { durationMs });
      } finally {
        await store.discard(file);
      }
    },
  };
}

interface TranscribeArgs {
  readonly language?: string;
  readonly path?: string;
  readonly maxDurationMs?: number;
}

/** As engines for speech want it: one channel, 16 kHz. */
async function recordSound(
  tools: DesktopTools,
  input: readonly string[],
  file: string,
  durationMs: number,
  signal: AbortSignal,
): Promise<void> {
  const flags = ["-hide_banner", "-loglevel", "error", "-nostdin"];
  const shape = ["-t", (durationMs / 1000).toFixed(3), "-ac", "1", "-ar", "16000", "-f", "wav", "-y", file];
  const run = { signal, timeoutMs: durationMs + 30_000 };
  await tools.run(["ffmpeg", ...flags, ...input, ...shape], run).catch((cause: unknown) => {
    if (!isFault(cause, "unavailable")) throw cause;
    throw new CapabilityFault("MIC_UNAVAILABLE", `The microphone gave no sound: ${cause.message}`, { cause });
  });
}
