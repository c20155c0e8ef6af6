import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { Fault, messageOf } from "../../fault.ts";
import { readChunks } from "../../files/read-regular-file.ts";
import type { Config } from "../config-schema.ts";

/** A command that a configuration starts. */
export interface StartedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** By default the folder that Clawport was started in. */
  readonly cwd?: string | undefined;
}

/** Also of servers that are switched off: a variable may switch one on without a change of the file. */
export function commandsOf({ servers, agent }: Config): readonly StartedCommand[] {
  const { command: [command, ...args] = [], env } = agent.transcription ?? {};
  return [
    ...Object.values(servers).flatMap((server) =>
      server.command === undefined ? [] : [{ ...server, command: server.command }],
    ),
    ...(command === undefined ? [] : [{ command, args, env }]),
  ];
}

/** Hashes of files, by their paths relative to a folder. */
export type FileHashes = Readonly<Record<string, string>>;

/** The real path of the folder, and other paths by which it may be named. */
export type FolderNames = readonly [string, ...string[]];

const maxFiles = 100;
const maxPaths = 5000;
const largestFile = 64 * 1024 * 1024;

/**
 * The files that came with a folder and that these commands name: as the command, as an argument or as a part of one
 * (`--import=./hook.mjs`, `sh -c "node server.mjs"`). What those files load in turn is not found.
 */
export async function hashRunFiles(folders: FolderNames, commands: readonly StartedCommand[]): Promise<FileHashes> {
  const [folder] = folders;
  const paths = new Set(commands.flatMap((command) => pathsOf(folders, command)));
  if (paths.size > maxPaths) throw tooMuch("it has too many arguments");
  const hashes = new Map<string, string>();
  for (const path of paths) {
    const isFile = await stat(path).then(
      (found) => found.isFile(),
      () => false,
    );
    if (!isFile) continue;
    if (hashes.size === maxFiles) throw tooMuch(`it runs more than ${maxFiles} files`);
    hashes.set(relative(folder, path), await hashFile(path));
  }
  return Object.fromEntries(hashes);
}

/** Variables with which a program loads further code. */
const loaders = /^(?:NODE_OPTIONS|BASH_ENV|ENV|PYTHONSTARTUP|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS|LD_PRELOAD|DYLD_.*)$/;
const separators = /[\s"'`=,;|&<>(){}]+/;

function pathsOf(folders: FolderNames, { command, args, env = {}, cwd = "." }: StartedCommand): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value]) => (loaders.test(name) ? [value] : []));
  const parts = [command, ...args, ...values].flatMap((word) => [word, ...word.split(separators)]);
  // An absolute path elsewhere belongs to the machine. A relative one belongs to the folder, wherever it leads.
  return parts
    .filter((part) => part !== "" && !part.includes("\0"))
    .filter((part) => !isAbsolute(part) || folders.some((folder) => isInside(folder, part)))
    .map((part) => resolve(folders[0], cwd, part));
}

function isInside(folder: string, path: string): boolean {
  const inner = relative(folder, path);
  return !isAbsolute(inner) && inner !== ".." && !inner.startsWith(`..${sep}`);
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of readChunks(path, largestFile)) hash.update(chunk);
  } catch (error) {
    throw tooMuch(messageOf(error).replace(/\.$/, ""));
  }
  return hash.digest("hex");
}

function tooMuch(reason: string): Fault {
  return new Fault(
    "untrusted",
    `Trust in the configuration of this folder can't be remembered: ${reason}. Review the folder, then name the file with \`--config\`.`,
  );
}
