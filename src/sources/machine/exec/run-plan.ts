import { codeOf, messageOf } from "../../../core/fault.ts";
import type { Env } from "../../../core/process/child-env.ts";
import { type ProcessTree, startProcessTree } from "../../../core/process/process-tree.ts";
import { settledWithin, sleep } from "../../../core/wait.ts";
import { type CapabilityContext, CapabilityFault } from "../capability.ts";
import type { ExecPlan } from "./exec-plan.ts";

/** In OpenClaw's shape. */
export interface ExecResult {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly success: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly error: string | null;
  readonly durationMs: number;
  readonly truncated: boolean;
}

/** Of stdout and stderr together. What comes first is kept. */
const maxOutputBytes = 200_000;
/** How long a command has to end after it was told to. */
const graceMs = 500;
/** What the command has started may hold its output open. */
const drainMs = 250;
const progressEveryMs = 1000;

export interface RunPlanOptions {
  readonly env: Env;
  readonly pidNamespace: "auto" | "off";
}

/** Runs the command to its end. Nothing that it started is left when this settles. */
export async function runPlan(
  plan: ExecPlan,
  { signal, progress }: Pick<CapabilityContext, "signal" | "progress">,
  { env, pidNamespace }: RunPlanOptions,
): Promise<ExecResult> {
  const started = performance.now();
  const { executable, cwd, argv, timeoutMs } = plan;
  const program = { command: executable.path, args: argv.slice(1), cwd: cwd.path, env: plan.env, pidNamespace };
  const tree = await startProcessTree(program, env).catch((cause: unknown) => {
    throw new CapabilityFault(
      "COMMAND_FAILED",
      `The command could not be started: ${codeOf(cause) ?? messageOf(cause)}.`,
      { cause },
    );
  });
  const output = collectOutput(tree);
  const seconds = (): number => Math.round((performance.now() - started) / 1000);
  const reporting = setInterval(() => {
    progress({ progress: seconds(), total: Math.ceil(timeoutMs / 1000), message: `${output.bytes()} bytes of output` });
  }, progressEveryMs);
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  try {
    tree.endInput();
    const late = sleep(timeoutMs, ended).then(
      () => "late" as const,
      () => "cancelled" as const,
    );
    const exit = await Promise.race([tree.exited, late]);
    const timedOut = exit === "late";
    const { code, signal: killedBy } = typeof exit === "object" ? exit : await stop(tree);
    await settledWithin(tree.drained, drainMs);
    return {
      exitCode: code,
      timedOut,
      success: code === 0 && !timedOut,
      ...output.texts(),
      error: timedOut ? `stopped after ${timeoutMs} ms` : killedBy === null ? null : `ended by ${killedBy}`,
      durationMs: Math.round(performance.now() - started),
      truncated: output.isTruncated(),
    };
  } finally {
    clearInterval(reporting);
    over.abort();
    await tree.kill();
  }
}

/** A command that was stopped has no exit code of its own. */
async function stop(tree: ProcessTree): Promise<{ readonly code: null; readonly signal: NodeJS.Signals }> {
  tree.terminate();
  if (!(await settledWithin(tree.exited, graceMs))) await tree.kill();
  return { code: null, signal: "SIGTERM" };
}

function collectOutput({ stdout, stderr }: Pick<ProcessTree, "stdout" | "stderr">) {
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let kept = 0;
  let all = 0;
  const take = (into: Buffer[]) => (chunk: Buffer) => {
    all += chunk.length;
    const part = chunk.subarray(0, Math.max(0, maxOutputBytes - kept));
    if (part.length === 0) return;
    kept += part.length;
    // A copy: the part would keep the whole chunk in memory.
    into.push(part.length === chunk.length ? chunk : Buffer.from(part));
  };
  stdout.on("data", take(chunks.stdout));
  stderr.on("data", take(chunks.stderr));
  return {
    bytes: () => all,
    isTruncated: () => all > kept,
    texts: () => ({
      stdout: Buffer.concat(chunks.stdout).toString("utf8"),
      stderr: Buffer.concat(chunks.stderr).toString("utf8"),
    }),
  };
}
