import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect } from "node:net";
import { freePort } from "./free-port.ts";
import { requireDebianPackage } from "../setup/require-debian-package.ts";

const program = process.env.NATS_SERVER ?? (await requireDebianPackage("nats-server"));

/** Without one, tests that need it are skipped. */
export const hasNats = program !== undefined;

/** A real nats-server of its own. `NATS_SERVER` names another program than the one of the system. */
export interface NatsServer extends AsyncDisposable {
  readonly url: string;
  readonly process: ChildProcess;
  /** As a crash: no goodbye to anybody. */
  kill(): Promise<void>;
  /** Starts it again on the same port with the same data. */
  restart(): Promise<void>;
}

export interface NatsServerOptions {
  readonly jetStream?: boolean;
  readonly args?: readonly string[];
  /** For a server of a cluster: its name, its own route port, and those of the others. */
  readonly cluster?: { readonly name: string; readonly port: number; readonly routes: readonly number[] };
}

export async function startNatsServer(options: NatsServerOptions = {}): Promise<NatsServer> {
  const folder = mkdtempSync(path.join(tmpdir(), "clawport-nats-"));
  const port = await freePort();
  let child = await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    get process() {
      return child;
    },
    async kill() {
      await stop("SIGKILL");
    },
    async restart() {
      child = await start();
    },
    async [Symbol.asyncDispose]() {
      await stop("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };

  async function start(): Promise<ChildProcess> {
    const routes = options.cluster?.routes.map((each) => `nats://127.0.0.1:${each}`).join(",") ?? "";
    const cluster = options.cluster && [
      "--cluster_name=test",
      `--name=${options.cluster.name}`,
      `--cluster=nats://127.0.0.1:${options.cluster.port}`,
      `--routes=${routes}`,
    ];
    const storage = options.jetStream === false ? [] : ["-js", "-sd", folder];
    const args = ["-a", "127.0.0.1", "-p", String(port), ...storage, ...(cluster ?? []), ...(options.args ?? [])];
    const started = spawn(program ?? "nats-server", args, { stdio: "ignore" });
    await listening(port, started);
    return started;
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await exited;
  }
}

/** Three servers that know each other, once they have a leader. */
export async function startNatsCluster(): Promise<readonly NatsServer[]> {
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  return Promise.all(ports.map((port, at) => startNatsServer({ cluster: { name: `n${at}`, port, routes: ports } })));
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}`);
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("nats-server did not start");
}
