import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type { Env } from "../../core/process/child-env.ts";

/**
 * The file that a bare name stands for in `PATH`. Only absolute folders count: an empty or relative one would mean
 * whatever folder the process happens to be in.
 */
export async function findExecutable(name: string, env: Env, platform: string): Promise<string | undefined> {
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter(isAbsolute);
  const known = (env["PATHEXT"] ?? ".EXE;.CMD;.BAT").split(";");
  const endings = platform === "win32" ? [...(name.includes(".") ? [""] : []), ...known] : [""];
  for (const folder of folders) {
    for (const ending of endings) {
      const path = join(folder, name + ending);
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
