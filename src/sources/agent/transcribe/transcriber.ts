import type { TranscriptionConfig } from "../../../core/config/agent-config.ts";
import { messageOf } from "../../../core/fault.ts";
import { uniqueName } from "../../../core/files/safe-name.ts";
import type { Attachment } from "../media/check-media.ts";
import type { ReplyOptions } from "../reply-backend.ts";

/** Turns speech into text. */
export interface Transcriber {
  transcribe(audio: Attachment, signal: AbortSignal): Promise<string>;
}

export interface TranscriberOptions {
  readonly config: TranscriptionConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the audio lies while a command reads it. */
  readonly folder: string;
}

const placeholder = "{file}";

/** A command or a provider, whichever is configured: the configuration was checked to have one of them. */
export function createTranscriber({ config, env, folder }: TranscriberOptions): Transcriber {
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
 * Puts what is said in place of the audio, as a text file. Audio that can't be transcribed, or in which nothing is said,
 * goes along as it is.
 */
export async function transcribeAudio(
  attachments: readonly Attachment[],
  { transcribe }: Transcriber,
  { signal, log, onActivity }: Pick<ReplyOptions, "signal" | "log" | "onActivity">,
): Promise<readonly Attachment[]> {
  const taken = new Set(attachments.map(({ name }) => name.toLowerCase()));
  const heard: Attachment[] = [];
  for (const attachment of attachments) {
    const text = attachment.mimeType.startsWith("audio/") ? await hear(attachment) : "";
    heard.push(text === "" ? attachment : textFile(uniqueName(`${attachment.name}.transcript.txt`, taken), text));
  }
  return heard;

  async function hear(audio: Attachment): Promise<string> {
    onActivity(`transcribing ${audio.name}`);
    try {
      return (await transcribe(audio, signal)).trim();
    } catch (error) {
      signal.throwIfAborted();
      log.warn("audio could not be transcribed; it goes along as a file", { name: audio.name, error });
      onActivity(`${audio.name} goes along as a file: ${messageOf(error)}`);
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
