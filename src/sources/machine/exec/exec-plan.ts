import { createHash } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { readChunks } from "../../../core/files/read-regular-file.ts";
import { type CapabilityArgs, CapabilityFault, invalidRequest } from "../capability.ts";
import { findExecutable } from "../../../core/process/find-program.ts";
import type { Machine } from "../machine.ts";
import { commandText, isTextOf } from "./command-text.ts";
import { checkVariables } from "./command-variables.ts";
import { runsOthers } from "./match-allowlist.ts";
import { isSameJson } from "../../../core/is-same-json.ts";

/** A file, and what changes if another takes its place. */
interface FileIdentity {
  /** Without any symbolic link. */
  readonly path: string;
  readonly stamp: string;
}

/** Exactly what would run. It is made when a call is judged and again before the command starts: both must be equal. */
export interface ExecPlan {
  readonly argv: readonly string[];
  readonly executable: FileIdentity;
  readonly cwd: FileIdentity;
  /** The files that an interpreter is given to run. */
  readonly scripts: readonly FileIdentity[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

const maxScripts = 8;
/** Of all of them together. A larger one is known by what the system says about it. */
const maxScriptBytes = 64 * 1024 * 1024;

/** Resolves a request to files. Faults with what is wrong with it. */
export async function resolvePlan(
  args: CapabilityArgs,
  machine: Pick<Machine, "env" | "platform" | "homedir">,
): Promise<ExecPlan> {
  const argv = args["command"] as readonly string[];
  const [program = ""] = argv;
  if (program.trim() === "") throw invalidRequest("The first word of `command` must be a program.");
  if (argv.some((word) => word.includes("\0"))) throw invalidRequest("`command` must not contain NUL characters.");
  const raw = args["rawCommand"];
  if (typeof raw === "string" && !isTextOf(raw, argv))
    throw invalidRequest("`rawCommand` is not the same as `command`. Leave it out.");
  const cwd = await findFolder(args["cwd"], machine.homedir);
  const executable = await findProgramFile(program, cwd.path, machine);
  const env = (args["env"] ?? {}) as Readonly<Record<string, string>>;
  checkVariables(env, executable.path);
  const scripts = runsOthers(executable.path) ? await findScripts(argv.slice(1), cwd.path) : [];
  const timeoutMs = Number(args["timeoutMs"] ?? args["timeout"] ?? 30_000);
  return { argv, executable, cwd, scripts, env, timeoutMs };
}

/** What is not the same any more; undefined if both plans are equal. */
export function findDifference(one: ExecPlan, other: ExecPlan): string | undefined {
  if (commandText(one.argv) !== commandText(other.argv)) return "the command";
  if (!isSame(one.executable, other.executable)) return "the program";
  if (!isSame(one.cwd, other.cwd)) return "the folder";
  if (!isSameJson(one.scripts, other.scripts)) return "a file that the command runs";
  return isSameJson(one.env, other.env) ? undefined : "a variable";
}

function isSame(one: FileIdentity, other: FileIdentity): boolean {
  return one.path === other.path && one.stamp === other.stamp;
}

async function findFolder(given: unknown, homedir: string): Promise<FileIdentity> {
  const folder = typeof given === "string" ? given : homedir;
  if (!isAbsolute(folder) || folder.includes("\0")) throw invalidRequest("`cwd` must be an absolute path.");
  try {
    const path = await realpath(folder);
    const found = await stat(path, { bigint: true });
    if (found.isDirectory()) return { path, stamp: `${found.dev} ${found.ino}` };
  } catch {
    // Reported below, like a path that is not a folder.
  }
  throw new CapabilityFault("CWD_NOT_FOUND", `${folder.slice(0, 200)} is not a folder on this computer.`, {
    code: "not-found",
  });
}

/** A word with a slash is a path, seen from the folder; any other is looked up in the PATH of this process. */
async function findProgramFile(
  program: string,
  cwd: string,
  { env, platform }: Pick<Machine, "env" | "platform">,
): Promise<FileIdentity> {
  const isPath = program.includes("/") || (platform === "win32" && program.includes("\\"));
  const found = isPath ? resolve(cwd, program) : await findExecutable(program, env, platform);
  const identity = found === undefined ? undefined : await identify(found);
  if (identity !== undefined) return identity;
  throw new CapabilityFault(
    "COMMAND_NOT_FOUND",
    `${JSON.stringify(program.slice(0, 200))} was not found, or can't be run.`,
    { code: "not-found" },
  );
}

async function identify(file: string): Promise<FileIdentity | undefined> {
  try {
    const path = await realpath(file);
    await access(path, constants.X_OK);
    const found = await stat(path, { bigint: true });
    if (!found.isFile()) return undefined;
    return { path, stamp: stampOf(found) };
  } catch {
    return undefined;
  }
}

async function findScripts(args: readonly string[], cwd: string): Promise<readonly FileIdentity[]> {
  const found: FileIdentity[] = [];
  let left = maxScriptBytes;
  for (const word of args) {
    if (found.length === maxScripts) break;
    if (word.startsWith("-") || word === "" || word.length > 4096) continue;
    try {
      const path = await realpath(resolve(cwd, word));
      const facts = await stat(path, { bigint: true });
      if (!facts.isFile()) continue;
      const isSmall = facts.size <= left;
      if (isSmall) left -= Number(facts.size);
      found.push({ path, stamp: isSmall ? await hashFile(path) : stampOf(facts) });
    } catch {
      // Not a file that can be read: the program gets the word as it is.
    }
  }
  return found;
}

async function hashFile(path: string): Promise<string> {
  const digest = createHash("sha256");
  for await (const chunk of readChunks(path, maxScriptBytes)) digest.update(chunk);
  return digest.digest("hex");
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
}
