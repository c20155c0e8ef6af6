import { Fault, messageOf } from "../fault.ts";
import { quotedPeerTail } from "../text/peer-text.ts";
import { secretArguments } from "../secrets/redact-command-line.ts";
import { createOutputRedactor } from "../secrets/redact-output.ts";
import { secretParts } from "../secrets/secret-parts.ts";
import { cancelledBy, settledWithin, withDeadline } from "../wait.ts";
import type { Env } from "./child-env.ts";
import { type ProcessTree, type ProgramCommand, startProcessTree } from "./process-tree.ts";
import { createTail } from "./tail.ts";

export interface RunOptions {
  /** Our own environment, of which the command sees only what any program needs. */
  readonly env: Env;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** What it says on stderr may have a secret in it, and is not repeated. */
  readonly isStderrSecret?: boolean;
}

/** How long the rest of the output may take to arrive after the command has exited. */
const drainMs = 1000;

/** Runs a command and returns its stdout. When this settles, nothing that the command started runs any more. */
export async function runCommand(program: ProgramCommand, options: RunOptions): Promise<Buffer> {
  const { env, signal, timeoutMs } = options;
  if (signal.aborted) throw cancelledBy(signal);
  const name = JSON.stringify(program.command);
  const secrets = [...Object.values(program.env), ...secretArguments(program.args)].flatMap(secretParts);
  const tree = await startProcessTree(program, env).catch((cause: unknown) => {
    throw new Fault("unavailable", `${name} could not be started: ${messageOf(cause)}`, { cause });
  });
  try {
    return await withDeadline(timeoutMs, signal, () => readOutput(name, tree, options, secrets));
  } finally {
    await tree.kill();
  }
}

async function readOutput(
  name: string,
  tree: ProcessTree,
  { maxOutputBytes: maxBytes, isStderrSecret = false }: RunOptions,
  secrets: readonly string[],
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const errors = createTail(4000, createOutputRedactor(secrets));
  const overflow = Promise.withResolvers<never>();
  let bytes = 0;
  tree.endInput();
  tree.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  tree.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else overflow.reject(new Fault("unavailable", `${name} wrote more than ${maxBytes} bytes.`));
  });

  const { code, signal } = await Promise.race([tree.exited, overflow.promise]);
  // What the command started may hold the pipe open.
  tree.killRest();
  await Promise.race([settledWithin(tree.drained, drainMs), overflow.promise]);
  if (code === 0) return Buffer.concat(chunks);
  const text = errors.text().trim();
  const reason = text === "" || isStderrSecret ? "" : `: ${quotedPeerTail(text, 500)}`;
  throw new Fault("unavailable", `${name} exited with ${signal ?? `code ${code}`}${reason}.`);
}
