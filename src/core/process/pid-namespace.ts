import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { release } from "node:os";
import { readJsonFile } from "../files/state-file.ts";
import { writeFileAtomic } from "../files/write-file-atomic.ts";
import { asRecord } from "../is-record.ts";
import { childEnv, type Env } from "./child-env.ts";
import { findProgram } from "./find-program.ts";

/** A way to start a program in a PID namespace of its own, where everything ends with the first process. */
export interface NamespaceWay {
  readonly name: "bubblewrap" | "unshare";
  /** What comes before the program's command line. */
  readonly words: readonly string[];
}

/** A program to start. */
export interface NamespaceProgram {
  readonly command: string;
  readonly cwd?: string | undefined;
  /** `auto`, the default: it gets a PID namespace of its own if the system allows that. */
  readonly pidNamespace?: "auto" | "off" | undefined;
}

interface CheckedWay {
  readonly way: NamespaceWay | undefined;
  /** An earlier process found out that it works; the system may have changed since. */
  readonly isRemembered: boolean;
}

/** By the PATH it was looked for in: found out once in a process. */
const known = new Map<string, Promise<CheckedWay>>();
let memory: string | undefined;

/** The way that works for this user on this system; undefined if there is none, as in many containers. */
export async function findNamespaceWay(env: Env): Promise<NamespaceWay | undefined> {
  const place = env["PATH"] ?? "";
  const found = known.get(place) ?? find(env);
  known.set(place, found);
  return (await found).way;
}

/** Keeps what is found out in this file, so that the next process need not find out again before it starts a program. */
export function rememberNamespaceWay(file: string): void {
  memory = file;
}

/** A program that was started in this way failed: if the way was only remembered, it is checked before the next start. */
export async function doubtNamespaceWay(env: Env): Promise<void> {
  const place = env["PATH"] ?? "";
  if ((await known.get(place))?.isRemembered) known.set(place, check(await possibleWays(env), env));
}

async function find(env: Env): Promise<CheckedWay> {
  const ways = await possibleWays(env);
  const remembered = await readMemory();
  const way = ways.find(({ name }) => name === remembered);
  return way === undefined ? check(ways, env) : { way, isRemembered: true };
}

async function check(ways: readonly NamespaceWay[], env: Env): Promise<CheckedWay> {
  for (const way of ways) {
    if (!(await works(way, env))) continue;
    void writeMemory(way);
    return { way, isRemembered: false };
  }
  return { way: undefined, isRemembered: false };
}

/** Commands that need setuid programs, which have no effect in the namespace of an ordinary user. */
const needsSetuid =
  /^\/snap\/|^\/var\/lib\/snapd\/|\/(?:sudo|doas|pkexec|su|podman|toolbox|distrobox|flatpak|snap|firejail|apptainer|singularity)$|\.appimage$/i;

/** What comes before the command line of a program to give it a namespace; undefined if it gets none. */
export async function namespaceWords(
  { command, cwd = process.cwd(), pidNamespace = "auto" }: NamespaceProgram,
  programEnv: Env,
  ownEnv: Env,
): Promise<readonly string[] | undefined> {
  if (process.platform !== "linux" || pidNamespace === "off") return undefined;
  const path = await findProgram(command, { env: programEnv, cwd, platform: "linux" });
  // Without a namespace, the system says itself what is wrong with a command that can't be started.
  if (path === undefined || needsSetuid.test(path)) return undefined;
  const way = await findNamespaceWay(ownEnv);
  // A shell drops variables whose names it could not use itself.
  const hasOddName = Object.keys(programEnv).some((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (way?.name !== "unshare") return way?.words;
  return hasOddName ? undefined : withoutShellVariables(way.words, programEnv);
}

const startScript = '(exec "$@"); exit $?';

/** A shell sets variables of its own, which the program would not have without it. */
function withoutShellVariables(words: readonly string[], env: Env): readonly string[] {
  const added = ["PWD", "OLDPWD", "SHLVL", "_"].filter((name) => env[name] === undefined);
  if (added.length === 0) return words;
  return words.map((word) => (word === startScript ? `unset ${added.join(" ")}; ${startScript}` : word));
}

/**
 * As root `unshare` comes first, since bubblewrap takes setuid programs from root, too. Both need the kernel's list of
 * child processes, by which the server is found in there.
 */
async function possibleWays(env: Env): Promise<readonly NamespaceWay[]> {
  if (process.platform !== "linux" || !existsSync(`/proc/self/task/${process.pid}/children`)) return [];
  const isRoot = process.getuid?.() === 0;
  const [bwrap, unshare, setpriv, setsid] = await Promise.all(
    ["bwrap", "unshare", "setpriv", "setsid"].map((name) => findProgram(name, { env, cwd: "/", platform: "linux" })),
  );
  const ways: NamespaceWay[] = [];
  if (bwrap !== undefined) {
    const flags = "--dev-bind / / --unshare-pid --proc /proc --die-with-parent --new-session --";
    ways.push({ name: "bubblewrap", words: [bwrap, ...flags.split(" ")] });
  }
  if (unshare !== undefined && setpriv !== undefined && setsid !== undefined) {
    const user = isRoot ? "" : "--user --map-current-user ";
    const flags = `${user}--pid --fork --kill-child --mount-proc --propagation slave --`;
    // The first process of a namespace gets no signals it does not handle, so the program must be the second. The shell
    // waits for it and for what it leaves behind.
    const first = [setsid, "/bin/sh", "-c", startScript, "sh"];
    const words = [setpriv, "--pdeathsig", "KILL", unshare, ...flags.split(" "), ...first];
    ways.push({ name: "unshare", words });
  }
  return isRoot ? ways.toReversed() : ways;
}

const exitCode = 42;
const checkMs = 5000;

function works({ words: [command = "", ...args] }: NamespaceWay, env: Env): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, [...args, "/bin/sh", "-c", `exit ${exitCode}`], {
      env: childEnv(env),
      stdio: "ignore",
      detached: true,
      timeout: checkMs,
      killSignal: "SIGKILL",
    });
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === exitCode));
  });
}

/** What a kernel allows a user can change with either of them. */
function thisSystem(): string {
  return `${release()} ${process.getuid?.()}`;
}

async function readMemory(): Promise<unknown> {
  if (memory === undefined) return undefined;
  const file = await readJsonFile(memory, asRecord).catch(() => undefined);
  return file?.state === "good" && file.value["system"] === thisSystem() ? file.value["way"] : undefined;
}

async function writeMemory({ name }: NamespaceWay): Promise<void> {
  // Not being able to remember costs a moment at the next start.
  if (memory !== undefined)
    await writeFileAtomic(memory, `${JSON.stringify({ system: thisSystem(), way: name })}\n`).catch(() => {});
}
