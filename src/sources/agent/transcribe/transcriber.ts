import { Fault } from "../../../core/fault.ts";
import type { Attachment } from "../attachment.ts";

/** Turns speech into text. */
export interface Transcriber {
  transcribe(audio: Attachment, signal: AbortSignal): Promise<string>;
}

export interface TranscriptionConfig {
  /** A program and its arguments; `{file}` in one of them stands for the path of the audio. */
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly model?: string;
  readonly apiKey?: string;
  readonly timeoutMs?: number;
}

export interface TranscriberOptions {
  readonly config: TranscriptionConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the audio lies while a command reads it. */
  readonly folder: string;
  readonly fetch?: typeof fetch | undefined;
}

const placeholder = "{file}";

/** A command or a provider, whichever is configured; faults with `config` where that can't work. */
export function createTranscriber({ config, env, folder, fetch: send = fetch }: TranscriberOptions): Transcriber {
  const { command, url, timeoutMs = 120_000 } = config;
  if ((command === undefined) === (url === undefined))
    throw new Fault("config", "agent.transcription needs either a command or a url.");
  if (url !== undefined) {
    const provider = { url, model: config.model, apiKey: config.apiKey, timeoutMs };
    return {
      async transcribe(audio, signal) {
        const { askProvider } = await import("./ask-provider.ts");
        return askProvider(audio, provider, send, signal);
      },
    };
  }
  const argv = command!;
  if (!argv.slice(1).some((argument) => argument.includes(placeholder))) {
    const message = `agent.transcription.command needs ${placeholder} in one of its arguments, where the path of the audio goes.`;
    throw new Fault("config", message);
  }
  return {
    async transcribe(audio, signal) {
      const { runCommand } = await import("./run-command.ts");
      return runCommand(audio, {
        argvFor: (path) => argv.map((argument) => argument.replaceAll(placeholder, () => path)),
        env: config.env ?? {},
        ownEnv: env,
        folder,
        timeoutMs,
        signal,
      });
    },
  };
}
