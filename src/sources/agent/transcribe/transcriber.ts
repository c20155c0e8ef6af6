import type { TranscriptionConfig } from "../../../core/config/agent-schema.ts";
import type { Attachment } from "../attachment.ts";

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
        const { askProvider } = await import("./ask-provider.ts");
        return askProvider(audio, provider, signal);
      },
    };
  }
  return {
    async transcribe(audio, signal) {
      const { runCommand } = await import("./run-command.ts");
      return runCommand(audio, {
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
