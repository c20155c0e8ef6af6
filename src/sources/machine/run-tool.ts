import { settledWithin, withDeadline } from "../../core/wait.ts";
import type { Env } from "../../core/process/child-env.ts";
import { startProcessTree } from "../../core/process/process-tree.ts";

/** A program of this system that a capability uses. */
export interface ProgramRun {
  readonly command: string;
  readonly args: readonly string[];
  /** Beside what any program gets. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string | Buffer | undefined;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** `auto` for a program that may start others, so that nothing outlives it; `off` unless given. */
  readonly pidNamespace?: "auto" | "off" | undefined;
}

export interface ToolOutput {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** Whether there was more than `maxBytes`. */
  readonly truncated: boolean;
}

const maxErrorBytes = 4000;
const drainMs = 250;

/** Runs a program to its end. Nothing that it started is left when this settles. */
export async function runTool(run: ProgramRun, env: Env): Promise<ToolOutput> {
  const { command, args, cwd, input, maxBytes, timeoutMs, signal, pidNamespace = "off" } = run;
  const tree = await startProcessTree({ command, args, env: run.env ?? {}, cwd, pidNamespace }, env);
  const out: Buffer[] = [];
  const errors: Buffer[] = [];
  let [outBytes, errorBytes] = [0, 0];
  tree.stdout.on("data", (chunk: Buffer) => {
    const part = chunk.subarray(0, Math.max(0, maxBytes - outBytes));
    if (part.length > 0) out.push(part);
    outBytes += chunk.length;
  });
  tree.stderr.on("data", (chunk: Buffer) => {
    if (errorBytes < maxErrorBytes) errors.push(chunk.subarray(0, maxErrorBytes - errorBytes));
    errorBytes += chunk.length;
  });
  try {
    if (input !== undefined) tree.stdin.write(input);
    tree.endInput();
    const { code } = await withDeadline(timeoutMs, signal, () => tree.exited);
    await settledWithin(tree.drained, drainMs);
    const stderr = Buffer.concat(errors).toString("utf8");
    return { code, stdout: Buffer.concat(out), stderr, truncated: outBytes > maxBytes };
  } finally {
    await tree.kill();
  }
}
