import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
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
  const endings = platform === "win32" ? (env["PATHEXT"] ?? ".EXE;.CMD;.BAT").split(";") : [""];
  const isPath = command.includes("/") || isAbsolute(command);
  const folders = isPath ? [cwd] : (env["PATH"] ?? env["Path"] ?? "").split(delimiter);
  const candidates = folders.flatMap((folder) =>
    endings.map((ending) => (isAbsolute(command) ? command : join(folder, command)) + ending),
  );
  for (const path of candidates) {
    const usable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) return path;
  }
  return undefined;
}
