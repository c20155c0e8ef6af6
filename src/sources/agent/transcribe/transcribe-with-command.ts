import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { extensionOf } from "../../../core/files/safe-name.ts";
import { saveMedia } from "../../../core/files/save-media.ts";
import type { Env } from "../../../core/process/child-env.ts";
import { runCommand } from "../../../core/process/run-command.ts";
import type { Attachment } from "../media/check-media.ts";
import { maxTranscriptBytes } from "../media/media-limits.ts";

export interface TranscriptionCommand {
  argvFor(path: string): readonly string[];
  /** In addition to the few variables that every program gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Our own environment. */
  readonly ownEnv: Env;
  readonly folder: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Saves the audio under a generated name, so that nothing from the caller gets into the command line. */
export async function transcribeWithCommand(audio: Attachment, options: TranscriptionCommand): Promise<string> {
  const { argvFor, env, ownEnv, folder, timeoutMs, signal } = options;
  const name = `audio-${randomUUID()}.${extensionOf(audio.mimeType)}`;
  const { path } = await saveMedia({ content: Buffer.from(await audio.base64(), "base64"), name }, folder);
  try {
    const [command = "", ...args] = argvFor(path);
    const limits = { env: ownEnv, signal, timeoutMs, maxOutputBytes: maxTranscriptBytes };
    return (await runCommand({ command, args, env, cwd: folder }, limits)).toString();
  } finally {
    await rm(path, { force: true });
  }
}
