import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { Fault } from "../../fault.ts";
import type { Env } from "../child-env.ts";
import { findProgram } from "../find-program.ts";
import { isFitForShell, shellVariables, withoutPwd } from "../shell-variables.ts";
import { createWayFinder, type FoundWay } from "../way-finder.ts";
import { bubblewrapWords } from "./bubblewrap-words.ts";
import type { Cage, StateCage } from "./cage.ts";
import { unshareWords } from "./unshare-words.ts";

/** A program of this system that makes cages. */
interface CageMaker {
  readonly name: "bubblewrap" | "unshare";
  /** What comes before the command line of a program with this environment. Undefined if it can't make such a cage. */
  words(cage: Cage, env: Env): readonly string[] | undefined;
}

const finder = createWayFinder<CageMaker>({
  possible: possibleMakers,
  // With the very flags that are used: in some containers everything works but a fresh /proc.
  wordsOf: (maker) => maker.words(probe(), {}) ?? [],
  missing: "bubblewrap is not installed",
});

/** What makes cages here, or why nothing does. */
export const findCageMaker = finder.find;
export const rememberCageMaker = finder.remember;
export const doubtCageMaker = finder.doubt;

/** What is known of it without waiting; undefined before the first start of a program that needs it. */
export function knownCageMaker(env: Env): FoundWay<{ readonly name: string }> | undefined {
  return finder.known(env);
}

/**
 * What comes before the command line of a program to start it in the cage; undefined if the system allows none. Faults for
 * one that must not run without it.
 */
export async function cagedWords(cage: Cage, programEnv: Env, ownEnv: Env): Promise<readonly string[] | undefined> {
  const { way, refusal = "it needs bubblewrap, which is not installed" } = await finder.find(ownEnv);
  const words = way?.name === "unshare" && !isFitForShell(programEnv) ? undefined : way?.words(cage, programEnv);
  if (words !== undefined || cage.kind === "state") return words;
  throw new Fault(
    "unavailable",
    `The server's sandbox can't be made here: ${refusal}. Run \`clawport doctor\` to see what helps.`,
  );
}

/** Where the system has its own programs. */
export const systemPath = "/usr/bin:/bin:/usr/sbin:/sbin";

/** Needs the kernel's list of child processes, by which the program is found in there. */
async function possibleMakers(env: Env): Promise<readonly CageMaker[]> {
  if (process.platform !== "linux" || !existsSync(`/proc/self/task/${process.pid}/children`)) return [];
  const [bwrap, unshare, setpriv, setsid, mount] = await Promise.all(
    ["bwrap", "unshare", "setpriv", "setsid", "mount"].map((name) =>
      findProgram(name, { env, cwd: "/", platform: "linux" }),
    ),
  );
  // A limit must not be left out because of a short PATH.
  const prlimit = await findProgram("prlimit", { env: { PATH: systemPath }, cwd: "/", platform: "linux" });
  const makers: CageMaker[] = [];
  if (bwrap !== undefined)
    makers.push({
      name: "bubblewrap",
      words: (cage, programEnv) => [
        ...bubblewrapWords(bwrap, cage, prlimit),
        ...(cage.kind === "state" ? withoutPwd(programEnv) : []),
      ],
    });
  if (unshare && setpriv && setsid && mount) {
    const programs = { unshare, setpriv, setsid, mount };
    makers.push({
      name: "unshare",
      words: (cage, programEnv) =>
        cage.kind === "state" ? unshareWords(programs, cage, shellVariables(programEnv)) : undefined,
    });
  }
  return makers;
}

function probe(): StateCage {
  const isRoot = process.getuid?.() === 0;
  const folder = ["/mnt", "/media", "/srv", "/opt"].find((each) => existsSync(each)) ?? tmpdir();
  const nothing = { emptyFolders: [], closedFiles: [], fixedFiles: [], shown: [], anchors: [] };
  return { kind: "state", closedFolders: [folder], ...nothing, isRoot };
}
