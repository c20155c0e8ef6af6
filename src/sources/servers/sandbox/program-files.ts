import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Env } from "../../../core/process/child-env.ts";
import { findProgram } from "../../../core/process/find-program.ts";

/** How a command is started in a cage, and the files outside of the system's own folders that it needs for that. */
export interface ProgramFiles {
  readonly line: readonly string[];
  readonly read: readonly string[];
}

export interface ProgramPlace {
  readonly env: Env;
  readonly cwd: string;
  readonly homedir: string;
  /** The real path of a file. Faults if the program must not see it. */
  realPath(path: string): string;
  /** Finds where `npx` has, or puts, the package that it would run: its file, and its arguments. */
  locatePackage(words: readonly string[]): Promise<readonly string[]>;
}

/** Undefined if the command is not found. */
export async function findProgramFiles(
  command: string,
  args: readonly string[],
  place: ProgramPlace,
): Promise<ProgramFiles | undefined> {
  if (basename(command) === "npx") {
    const node = (await pathOf("node", place)) ?? process.execPath;
    return filesOf([node, ...(await place.locatePackage(args))], place);
  }
  const path = await pathOf(command, place);
  if (path === undefined) return undefined;
  const node = shebangOf(path)?.includes("node") ? await pathOf("node", place) : undefined;
  return filesOf([...(node === undefined ? [] : [node]), path, ...args], place);
}

async function pathOf(command: string, { env, cwd, realPath }: ProgramPlace): Promise<string | undefined> {
  const found = await findProgram(command, { env, cwd, platform: process.platform });
  return found === undefined ? undefined : realPath(found);
}

/** The first argument that is a file, and not the value of an option for another one, is the program of an interpreter. */
function filesOf(words: readonly string[], { cwd, homedir, env, realPath }: ProgramPlace): ProgramFiles {
  const [program = "", ...rest] = words;
  const index = rest.findIndex((word, at) => isFileWord(word, cwd) && !loadingOption.test(rest[at - 1] ?? ""));
  const script = index < 0 ? undefined : realPath(resolve(cwd, rest[index]!));
  const line = [program, ...rest.map((word, at) => (at === index ? script! : word))];
  const ownWords = index < 0 ? rest : rest.slice(0, index);
  const options = [...ownWords, ...(env["NODE_OPTIONS"] ?? "").split(/\s+/)];
  const roots = [program, script, ...loadedFiles(options, cwd).map(realPath)].flatMap((file) =>
    file === undefined ? [] : rootOf(file, homedir),
  );
  return { line, read: [...new Set(roots)].filter((path) => !isSystem(path)) };
}

/** Options of Node by which it loads a file before the program. */
const loadingOption = /^(?:-r|--(?:import|require|loader|experimental-loader|env-file|env-file-if-exists))$/;

function loadedFiles(words: readonly string[], cwd: string): readonly string[] {
  const values = words.flatMap((word, at) => {
    const [name = "", value] = word.split(/=(.*)/s, 2);
    if (!loadingOption.test(name)) return [];
    return value ?? words[at + 1] ?? [];
  });
  return values
    .map((value) => (value.startsWith("file:///") ? fileURLToPath(value) : resolve(cwd, value)))
    .filter(isFile);
}

function isFileWord(word: string, cwd: string): boolean {
  return isFile(resolve(cwd, word)) && (isAbsolute(word) || /[./]/.test(word));
}

/** What belongs to a program: its `node_modules`, its package, or the file alone. */
function rootOf(file: string, homedir: string): string {
  const at = file.indexOf("/node_modules/");
  if (shebangOf(file) === undefined && !/\.[cm]?[jt]s$|\.py$/.test(file)) return file;
  const found = at < 0 ? undefined : file.slice(0, at);
  const folder = found ?? packageFolder(dirname(file));
  if (folder !== undefined && !isAncestor(folder, homedir)) return found === undefined ? folder : packageOr(found);
  return at < 0 ? file : join(file.slice(0, at), "node_modules");
}

/** A package that has its packages beside it is one program; a folder that only has packages is not. */
function packageOr(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : join(folder, "node_modules");
}

function packageFolder(folder: string): string | undefined {
  for (let each = folder; each !== "/"; each = dirname(each)) if (existsSync(join(each, "package.json"))) return each;
  return undefined;
}

function isAncestor(folder: string, of: string): boolean {
  return of === folder || of.startsWith(`${folder}/`) || folder === "/";
}

function isSystem(path: string): boolean {
  return /^\/(?:usr|bin|sbin|lib\w*|etc|opt|nix|gnu)\//.test(path);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** The first line of a script; undefined for other programs. */
function shebangOf(path: string): string | undefined {
  try {
    const file = openSync(path, "r");
    try {
      const start = Buffer.alloc(128);
      readSync(file, start, 0, start.length, 0);
      const [line = ""] = start.toString("latin1").split("\n", 1);
      return line.startsWith("#!") ? line : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
