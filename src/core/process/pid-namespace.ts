import { existsSync } from "node:fs";
import { Fault } from "../fault.ts";
import { quoted } from "../text/peer-text.ts";
import type { Cage } from "./cage/cage.ts";
import { cagedWords, doubtCageMaker } from "./cage/cage-maker.ts";
import type { Env } from "./child-env.ts";
import { findProgram } from "./find-program.ts";
import { isFitForShell, shellVariables, withoutPwd } from "./shell-variables.ts";
import { createWayFinder } from "./way-finder.ts";

/** A way to start a program in a PID namespace of its own, where everything ends with the first process. */
export interface NamespaceLauncher {
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
  /** What it can't see, if the system can hide it. Only in a namespace. */
  readonly cage?: Cage | undefined;
}

const finder = createWayFinder<NamespaceLauncher>({
  possible: possibleWays,
  wordsOf: ({ words }) => words,
  missing: "neither bubblewrap nor unshare is installed",
});

/** The way that works for this user on this system; undefined if there is none, as in many containers. */
export async function findNamespaceLauncher(env: Env): Promise<NamespaceLauncher | undefined> {
  return (await finder.find(env)).way;
}

/** Keeps what is found out in this file, so that the next process need not find out again before it starts a program. */
export const rememberNamespaceLauncher = finder.remember;

/** A program that was started in this way failed: if the way was only remembered, it is checked before the next start. */
export async function doubtNamespaceLauncher(env: Env): Promise<void> {
  await Promise.all([finder.doubt(env), doubtCageMaker(env)]);
}

/** Commands that need setuid programs, which have no effect in the namespace of an ordinary user. */
const needsSetuid =
  /^\/snap\/|^\/var\/lib\/snapd\/|\/(?:sudo|doas|pkexec|su|podman|toolbox|distrobox|flatpak|snap|firejail|apptainer|singularity)$|\.appimage$/i;

/** Whether the program at this path needs setuid programs, which have no effect in a namespace: it gets none. */
export function needsNoNamespace(path: string): boolean {
  return needsSetuid.test(path);
}

/** What comes before the command line of a program to give it a namespace; undefined if it gets none. */
export async function namespaceWords(
  { command, cwd = process.cwd(), pidNamespace = "auto", cage }: NamespaceProgram,
  programEnv: Env,
  ownEnv: Env,
): Promise<readonly string[] | undefined> {
  if (process.platform !== "linux" || pidNamespace === "off") return undefined;
  const path = await findProgram(command, { env: programEnv, cwd, platform: "linux" });
  // Without a namespace, the system says itself what is wrong with a command that can't be started.
  if (cage?.kind === "on") checkCageable(command, path);
  if (path === undefined || needsNoNamespace(path)) return undefined;
  const caged = cage && (await cagedWords(cage, programEnv, ownEnv));
  if (caged !== undefined) return caged;
  const way = await findNamespaceLauncher(ownEnv);
  if (way?.name !== "unshare") return way && [...way.words, ...withoutPwd(programEnv)];
  return isFitForShell(programEnv) ? withoutShellVariables(way.words, programEnv) : undefined;
}

/** What must not run without its cage is not started. */
function checkCageable(command: string, path: string | undefined): void {
  if (path === undefined) throw Object.assign(new Error(`${command} was not found`), { code: "ENOENT" });
  if (needsNoNamespace(path))
    throw new Fault(
      "unavailable",
      `${quoted(command)} needs setuid programs, so it can't run in a sandbox of its own.`,
    );
}

const startScript = '(exec "$@"); exit $?';

function withoutShellVariables(words: readonly string[], env: Env): readonly string[] {
  const added = shellVariables(env);
  if (added.length === 0) return words;
  return words.map((word) => (word === startScript ? `unset ${added.join(" ")}; ${startScript}` : word));
}

/**
 * As root `unshare` comes first, since bubblewrap takes setuid programs from root, too. Both need the kernel's list of
 * child processes, by which the server is found in there.
 */
async function possibleWays(env: Env): Promise<readonly NamespaceLauncher[]> {
  if (process.platform !== "linux" || !existsSync(`/proc/self/task/${process.pid}/children`)) return [];
  const isRoot = process.getuid?.() === 0;
  const [bwrap, unshare, setpriv, setsid] = await Promise.all(
    ["bwrap", "unshare", "setpriv", "setsid"].map((name) => findProgram(name, { env, cwd: "/", platform: "linux" })),
  );
  const ways: NamespaceLauncher[] = [];
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
