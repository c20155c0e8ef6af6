import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, Fault, messageOf } from "../fault.ts";
import type { Env } from "../process/child-env.ts";
import { type ConfigProblem, problemsFault } from "./config-problem.ts";
import type { Config } from "./config-schema.ts";
import { configName } from "./find-config.ts";

export interface LoadedConfig {
  readonly config: Config;
  readonly path: string;
  /** The text of the file, before substitution from the environment. */
  readonly raw: string;
  /** The environment variables it refers to. */
  readonly envNames: readonly string[];
  /** Servers that are off because a variable they need is not set. */
  readonly waiting: readonly ConfigProblem[];
  /** Valid, but probably a mistake. */
  readonly warnings: readonly ConfigProblem[];
}

export interface ConfigFile {
  readonly path: string;
  readonly env: Env;
  /** The content, if it has been read already. */
  readonly text?: string;
}

const largestFile = 4 * 1024 * 1024;

/** Throws a `config` fault with every problem at once. Only this loads the schema, since most starts have no file. */
export async function loadConfig({ path, env, text }: ConfigFile): Promise<LoadedConfig> {
  const raw = text ?? (await readText(path));
  if (raw.length > largestFile)
    throw new Fault("config", `${path} is too large for a configuration (${raw.length} characters).`);
  const { parseConfig } = await import("./parse-config.ts");
  const parsed = parseConfig(raw, env);
  if (parsed.problems !== undefined) throw problemsFault(path, parsed.problems);
  return { ...parsed, path, raw };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "EISDIR") {
      const file = JSON.stringify(join(path, configName));
      throw new Fault("config", `${path} is a folder. Give the file in it: \`--config ${file}\`.`, { cause: error });
    }
    const reason = codeOf(error) === "ENOENT" ? "The file does not exist" : messageOf(error);
    throw new Fault("config", `Could not read the configuration ${path}: ${reason}. Give another with \`--config\`.`, {
      cause: error,
    });
  }
}
