import type { TranscriptionConfig } from "../../../core/config/agent-config.ts";
import type { StartedCommand } from "../../../core/config/trust/run-files.ts";
import { messageOf } from "../../../core/fault.ts";
import { uniqueName } from "../../../core/files/safe-name.ts";
import type { Env } from "../../../core/process/child-env.ts";
import type { Attachment } from "../media/check-media.ts";
import type { ReplyOptions } from "../reply-backend.ts";

/** Turns speech into text. */
export interface Transcriber {
  transcribe(audio: Attachment, signal: AbortSignal): Promise<string>;
}

export interface TranscriberOptions {
  readonly config: TranscriptionConfig;
  readonly env: Env;
  /** Where the audio is saved while a command reads it. */
  readonly folder: string;
  /** Called before the command starts. Faults if it may not. */
  readonly checkCommand?: ((command: StartedCommand) => Promise<void>) | undefined;
}

const placeholder = "{file}";

/** Uses the configured command or provider: the configuration has exactly one of them. */
export function createTranscriber({ config, env, folder, checkCommand }: TranscriberOptions): Transcriber {
  const { command = [], url, timeoutMs = 120_000 } = config;
  if (url !== undefined) {
    const provider = { url, model: config.model, apiKey: config.apiKey, timeoutMs };
    return {
      async transcribe(audio, signal) {
        const { transcribeWithProvider } = await import("./transcribe-with-provider.ts");
        return transcribeWithProvider(audio, provider, signal);
      },
    };
  }
  return {
    async transcribe(audio, signal) {
      const [program = "", ...args] = command;
      await checkCommand?.({ command: program, args, env: config.env });
      const { transcribeWithCommand } = await import("./transcribe-with-command.ts");
      return transcribeWithCommand(audio, {
        argvFor: (path) => command.map((argument) => argument.replaceAll(placeholder, () => path)),
        env: config.env ?? {},
        ownEnv: env,
        folder,
        timeoutMs,
        signal,
      });
    },
  };
}

/**
 * Replaces audio by its transcript, as a text file. Audio that can't be transcribed, or that holds no speech, stays as it
 * is.
 */
export async function transcribeAudio(
  attachments: readonly Attachment[],
  { transcribe }: Transcriber,
  { signal, log, onActivity }: Pick<ReplyOptions, "signal" | "log" | "onActivity">,
): Promise<readonly Attachment[]> {
  const usedNames = new Set(attachments.map(({ name }) => name.toLowerCase()));
  const result: Attachment[] = [];
  for (const attachment of attachments) {
    const text = attachment.mimeType.startsWith("audio/") ? await tryTranscribe(attachment) : "";
    result.push(text === "" ? attachment : textFile(uniqueName(`${attachment.name}.transcript.txt`, usedNames), text));
  }
  return result;

  async function tryTranscribe(audio: Attachment): Promise<string> {
    onActivity(`transcribing ${audio.name}`);
    try {
      return (await transcribe(audio, signal)).trim();
    } catch (error) {
      signal.throwIfAborted();
      log.warn("could not transcribe audio; it is sent as a file", { name: audio.name, error });
      onActivity(`sending ${audio.name} as a file: ${messageOf(error)}`);
      return "";
    }
  }
}

function textFile(name: string, text: string): Attachment {
  const content = Buffer.from(text);
  return {
    kind: "file",
    name,
    mimeType: "text/plain",
    bytes: content.length,
    base64: () => Promise.resolve(content.toString("base64")),
  };
}
