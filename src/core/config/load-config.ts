import { stat } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, Fault, isFault, messageOf } from "../fault.ts";
import { readRegularFileNow } from "../files/read-regular-file.ts";
import type { Env } from "../process/child-env.ts";
import type { NamedSecret } from "../text/shown-text.ts";
import { type ConfigProblem, problemsFault } from "./config-problem.ts";
import type { Config } from "./config-schema.ts";
import { configName } from "./find-config.ts";
import type { ResolvedSecrets } from "./parse-config.ts";

export interface LoadedConfig {
  readonly config: Config;
  readonly path: string;
  /** The text of the file, before substitution from the environment. */
  readonly raw: string;
  /** The environment variables it refers to. */
  readonly envNames: readonly string[];
  /** What it took from them, except from those that every process has, such as `HOME`. */
  readonly secrets?: readonly NamedSecret[];
  /** The secrets that are kept elsewhere, as it names them. */
  readonly references?: readonly string[];
  /** They were not looked up, since the user has not trusted the folder it comes with: it can't be used like this. */
  readonly isWithheld?: true;
  /** Servers that are off because of their name, or a variable that is not set. */
  readonly waiting: readonly ConfigProblem[];
  /** Valid, but probably a mistake. */
  readonly warnings: readonly ConfigProblem[];
}

export interface ConfigFile {
  readonly path: string;
  readonly env: Env;
  /** The content, if it has been read already. */
  readonly text?: string;
  /** Looks up the secrets that are kept elsewhere. Without it they stay references. */
  readonly resolve?: ((references: readonly string[]) => Promise<ResolvedSecrets>) | undefined;
}

const largestFile = 4 * 1024 * 1024;

/** Throws a `config` fault with every problem at once. Only this loads the schema, since most starts have no file. */
export async function loadConfig({ path, env, text, resolve }: ConfigFile): Promise<LoadedConfig> {
  const raw = text ?? (await readConfigText(path));
  if (raw.length > largestFile)
    throw new Fault("config", `${path} is too large for a configuration (${raw.length} characters).`);
  const { parseConfig } = await import("./parse-config.ts");
  let parsed = parseConfig(raw, env);
  const references = parsed.problems === undefined ? parsed.references : [];
  if (resolve !== undefined && references.length > 0) parsed = parseConfig(raw, env, await resolve(references));
  if (parsed.problems !== undefined) throw problemsFault(path, parsed.problems);
  return { ...parsed, path, raw };
}

/** The text of a configuration file. Faults with `config` if it is no regular file, too large, or can't be read. */
export async function readConfigText(path: string): Promise<string> {
  try {
    return readRegularFileNow(path, largestFile);
  } catch (error) {
    if (
      await stat(path).then(
        (found) => found.isDirectory(),
        () => false,
      )
    ) {
      const file = JSON.stringify(join(path, configName));
      throw new Fault("config", `${path} is a folder. Give the file in it: \`--config ${file}\`.`, { cause: error });
    }
    if (isFault(error)) throw error;
    const reason = codeOf(error) === "ENOENT" ? "The file does not exist" : messageOf(error);
    throw new Fault("config", `Could not read the configuration ${path}: ${reason}. Give another with \`--config\`.`, {
      cause: error,
    });
  }
}
