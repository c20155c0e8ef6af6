import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Fault, messageOf } from "../../../core/fault.ts";
import { extensionOf } from "../../../core/files/safe-name.ts";
import { quotedPeerTail } from "../../../core/peer-text.ts";
import { childEnv } from "../../../core/process/child-env.ts";
import { withDeadline } from "../../../core/wait.ts";
import type { Attachment } from "../media/check-media.ts";
import { maxTranscriptBytes } from "../media/media-limits.ts";

export interface TranscriptionCommand {
  argvFor(path: string): readonly string[];
  /** Besides what any program needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly ownEnv: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Puts the audio into a file of a name of our own, so that nothing of the caller's gets into the command line. */
export async function transcribeWithCommand(audio: Attachment, run: TranscriptionCommand): Promise<string> {
  await mkdir(run.folder, { recursive: true, mode: 0o700 });
  const path = join(run.folder, `audio-${randomUUID()}.${extensionOf(audio.mimeType)}`);
  try {
    await writeFile(path, Buffer.from(await audio.base64(), "base64"), { mode: 0o600, flag: "wx" });
    return await withDeadline(run.timeoutMs, run.signal, (signal) => outputOf(run, path, signal));
  } finally {
    await rm(path, { force: true });
  }
}

/** What the command wrote to its stdout. No shell reads the command line. */
function outputOf(
  { argvFor, env, ownEnv, folder }: TranscriptionCommand,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const [program = "", ...args] = argvFor(path);
  const named = JSON.stringify(program);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...childEnv(ownEnv), ...env },
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own: what the command starts goes with it.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    const pieces: Buffer[] = [];
    let bytes = 0;
    let errors = "";
    const stop = (): void => killGroup(child);
    const fail = (text: string, cause?: unknown): void => {
      stop();
      reject(new Fault("unavailable", `${named} ${text}`, { cause }));
    };
    signal.addEventListener("abort", stop, { once: true });
    child.stdout.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > maxTranscriptBytes) fail(`wrote more than ${maxTranscriptBytes} bytes.`);
      else pieces.push(piece);
    });
    child.stderr.on("data", (piece: Buffer) => (errors = (errors + piece.toString()).slice(-4000)));
    child.once("error", (error) => fail(`could not be started: ${messageOf(error)}`, error));
    child.once("close", (code, killedBy) => {
      signal.removeEventListener("abort", stop);
      stop();
      if (code === 0) resolve(Buffer.concat(pieces).toString());
      else
        fail(
          `ended with ${killedBy ?? `code ${code}`}${errors === "" ? "" : `: ${quotedPeerTail(errors.trim(), 500)}`}.`,
        );
    });
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // Nobody is left in the group.
  }
}
