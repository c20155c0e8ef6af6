import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type ShellAnswer, runProgram } from "./run-shell.ts";
import { program } from "../../setup/programs.ts";

export const mainFile = program("src/cli/main.ts");

/** Windows has no POSIX signals, shells and file modes: tests of those are skipped there. */
export const isWindows = process.platform === "win32";

/** A temporary working folder, home folder and state folder, separate from those of this machine. */
export interface Place extends AsyncDisposable {
  readonly folder: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** The program to run instead of the source: the built one. */
  readonly main?: string;
  /** The Node that runs it; that of this process unless given. */
  readonly node?: string;
  /** Who runs it; the user of this process unless given. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Collects what commands and hubs print, if given. */
  readonly said?: string[];
}

export async function makePlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "clawport-"));
  const home = join(folder, "state");
  return {
    folder,
    home,
    env: { PATH: process.env["PATH"], HOME: folder, CLAWPORT_HOME: home, OPENCLAW_GATEWAY_PORT: "1" },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export function clawport(place: Place, ...args: string[]): Promise<ShellAnswer> {
  return runProgram(place.node ?? process.execPath, [place.main ?? mainFile, ...args], {
    env: place.env,
    cwd: place.folder,
    ...place.user,
  });
}

/** A running command, and what it printed when it was ready. */
export interface Running<Ready> extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ready: Ready;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

export type RunningHub = Running<{
  readonly url: string;
  readonly port: number;
  readonly tokenPath: string;
  readonly pid: number;
}>;

/** Starts `clawport up` and waits until it is ready. */
export function startHub(place: Place, ...args: string[]): Promise<RunningHub> {
  return startReady(place, "up", "--json", ...args);
}

/** Starts a command and waits for its first line of JSON. */
export async function startReady<Ready>(place: Place, ...args: string[]): Promise<Running<Ready>> {
  const child = spawn(place.node ?? process.execPath, [place.main ?? mainFile, ...args], {
    env: place.env,
    cwd: place.folder,
    ...place.user,
  });
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  for (const output of [child.stdout, child.stderr]) output.on("data", (chunk) => place.said?.push(String(chunk)));
  const line = once(createInterface({ input: child.stdout }), "line").then(([text]) => String(text));
  const failed = ended.then((code) => Promise.reject(new Error(`ended with ${code}: ${errors}`)));
  const ready = JSON.parse(await Promise.race([line, failed]));
  if ("error" in ready) throw new Error(`ended with ${await ended}: ${ready.error.message}`);
  return {
    child,
    ended,
    ready,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Requests a hub's tools and returns the HTTP status. */
export async function listTools(url: string, token: string): Promise<number> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  await response.text();
  return response.status;
}
