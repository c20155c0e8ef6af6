import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { Fault } from "../../../src/core/fault.ts";

export interface GatewayOptions {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
}

export interface RunningGateway {
  /** Resolves when the process is gone; one that does not heed the signal is killed. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** A gateway starts in ten seconds; on a busy machine it may take minutes. */
const patienceMs = 300_000;
const graceMs = 15_000;

/** Starts a gateway and waits until it takes requests. */
export async function startGateway({ program, env, port }: GatewayOptions): Promise<RunningGateway> {
  const child = spawn(process.execPath, [program, "gateway"], { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const keep = (text: Buffer): void => void (output = (output + text.toString()).slice(-4000));
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const exited = once(child, "exit");
  const deadline = performance.now() + patienceMs;
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Fault("unavailable", `The gateway ended by itself:\n${output}`);
    if (performance.now() > deadline) {
      child.kill("SIGKILL");
      throw new Fault("timeout", `The gateway was not ready within ${patienceMs} ms:\n${output}`);
    }
    await wait(100);
  }
  return {
    async stop(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

async function isReady(port: number): Promise<boolean> {
  try {
    const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(1000) });
    return ok;
  } catch {
    return false;
  }
}
