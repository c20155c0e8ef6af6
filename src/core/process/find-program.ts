import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, resolve } from "node:path";
import type { Env } from "./child-env.ts";

export interface ProgramSurroundings {
  readonly env: Env;
  readonly cwd: string;
  readonly platform: string;
}

/** The file that a command starts, as the system would find it; undefined if there is none. */
export async function findProgram(
  command: string,
  { env, cwd, platform }: ProgramSurroundings,
): Promise<string | undefined> {
  const isPath = command.includes("/") || isAbsolute(command);
  const folders = isPath ? [cwd] : searchPath(env);
  return firstExecutable(folders, command, platform === "win32" ? programEndings(env) : [""]);
}

/**
 * The file that a bare name stands for in `PATH`. Only absolute folders count: an empty or relative one would mean
 * whatever folder the process happens to be in.
 */
export async function findExecutable(name: string, env: Env, platform: string): Promise<string | undefined> {
  const endings = platform === "win32" ? [...(name.includes(".") ? [""] : []), ...programEndings(env)] : [""];
  return firstExecutable(searchPath(env).filter(isAbsolute), name, endings);
}

const searchPath = (env: Env): readonly string[] => (env["PATH"] ?? env["Path"] ?? "").split(delimiter);
const programEndings = (env: Env): readonly string[] => (env["PATHEXT"] ?? ".EXE;.CMD;.BAT").split(";");

async function firstExecutable(
  folders: readonly string[],
  name: string,
  endings: readonly string[],
): Promise<string | undefined> {
  for (const folder of folders) {
    for (const ending of endings) {
      const path = resolve(folder, name + ending);
      if (await isExecutable(path)) return path;
    }
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
