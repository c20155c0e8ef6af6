import { spawn } from "node:child_process";
import { release } from "node:os";
import { readJsonFile } from "../files/state-file.ts";
import { writeFileAtomic } from "../files/write-file-atomic.ts";
import { asRecord } from "../is-record.ts";
import { childEnv, type Env } from "./child-env.ts";

/** What makes namespaces here, or why nothing does. */
export type FoundWay<Way> =
  | { readonly way: Way; readonly refusal?: never }
  | { readonly way: undefined; readonly refusal: string };

/** Finds out which of several ways works on this system: once in a process, and remembered for the next one. */
export interface WayFinder<Way> {
  find(env: Env): Promise<FoundWay<Way>>;
  /** What was found out so far, without waiting. */
  known(env: Env): FoundWay<Way> | undefined;
  /** Keeps what is found out in this file, so that the next process need not find out again before it starts a program. */
  remember(file: string): void;
  /** A program that was started in this way failed: if the way was only remembered, it is checked before the next start. */
  doubt(env: Env): Promise<void>;
}

export interface WayFinderOptions<Way> {
  /** All that are installed, the best first. */
  possible(env: Env): Promise<readonly Way[]>;
  /** What comes before the command line of a program that tries it. */
  wordsOf(way: Way): readonly string[];
  /** Why there is none, if none is installed. */
  readonly missing: string;
}

interface Checked<Way> {
  readonly found: FoundWay<Way>;
  /** An earlier process found out that it works; the system may have changed since. */
  readonly isRemembered: boolean;
}

export function createWayFinder<Way extends { readonly name: string }>(options: WayFinderOptions<Way>): WayFinder<Way> {
  /** By the PATH it was looked for in. */
  const asked = new Map<string, Promise<Checked<Way>>>();
  const settled = new Map<string, FoundWay<Way>>();
  let memory: string | undefined;

  function ask(env: Env, checking: Promise<Checked<Way>>): Promise<Checked<Way>> {
    const place = env["PATH"] ?? "";
    asked.set(place, checking);
    void checking.then(({ found }) => settled.set(place, found));
    return checking;
  }

  return {
    async find(env) {
      return (await (asked.get(env["PATH"] ?? "") ?? ask(env, find(env)))).found;
    },
    known: (env) => settled.get(env["PATH"] ?? ""),
    remember(file) {
      memory = file;
    },
    async doubt(env) {
      if ((await asked.get(env["PATH"] ?? ""))?.isRemembered) void ask(env, check(await options.possible(env), env));
    },
  };

  async function find(env: Env): Promise<Checked<Way>> {
    const ways = await options.possible(env);
    const remembered = await readMemory();
    const way = ways.find(({ name }) => name === remembered);
    return way === undefined ? check(ways, env) : { found: { way }, isRemembered: true };
  }

  async function check(ways: readonly Way[], env: Env): Promise<Checked<Way>> {
    let refusal = options.missing;
    for (const way of ways) {
      const reason = await tryWords(options.wordsOf(way), env);
      if (reason === undefined) {
        void writeMemory(way);
        return { found: { way }, isRemembered: false };
      }
      refusal = reason;
    }
    return { found: { way: undefined, refusal }, isRemembered: false };
  }

  async function readMemory(): Promise<unknown> {
    if (memory === undefined) return undefined;
    const file = await readJsonFile(memory, asRecord).catch(() => undefined);
    return file?.state === "good" && file.value["system"] === thisSystem() ? file.value["way"] : undefined;
  }

  async function writeMemory({ name }: Way): Promise<void> {
    // Not being able to remember costs a moment at the next start.
    if (memory !== undefined)
      await writeFileAtomic(memory, `${JSON.stringify({ system: thisSystem(), way: name })}\n`).catch(() => {});
  }
}

/** What a kernel allows a user can change with either of them. */
function thisSystem(): string {
  return `${release()} ${process.getuid?.()}`;
}

const exitCode = 42;
const checkMs = 5000;
const maxReason = 300;

/** Undefined if a program ran in there; else what was said about why not. */
function tryWords([command = "", ...args]: readonly string[], env: Env): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, [...args, "/bin/sh", "-c", `exit ${exitCode}`], {
      env: childEnv(env),
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
      timeout: checkMs,
      killSignal: "SIGKILL",
    });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(0, maxReason)));
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => {
      if (code === exitCode) resolve(undefined);
      else resolve(said.trim().replaceAll(/\s+/g, " ") || `it exited with ${signal ?? `code ${code}`}`);
    });
  });
}
