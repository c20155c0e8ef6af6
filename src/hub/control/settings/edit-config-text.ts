import { existsSync } from "node:fs";
import type { ConfigProblem } from "../../../core/config/config-problem.ts";
import { readConfigText } from "../../../core/config/load-config.ts";
import { parseConfig } from "../../../core/config/parse-config.ts";
import { findProblems } from "../config-text.ts";
import type { FileContext } from "../contexts.ts";
import { openConfigFile } from "./config-file.ts";
import { unmaskConfig } from "./unmask-config.ts";

export interface ConfigVerdict {
  readonly problems: readonly ConfigProblem[];
  /** Whether it could be saved: warnings, and servers that wait for a variable, don't count. */
  readonly ok: boolean;
}

export async function validateConfig({ place, env }: FileContext, text: string): Promise<ConfigVerdict> {
  const whole = unmaskConfig(text, existsSync(place.path) ? await readConfigText(place.path) : "");
  const problems = await findProblems(place, whole, env);
  return { problems, ok: parseConfig(whole, env).problems === undefined };
}

/** Masked values stay as they are in the file. */
export function writeConfig(file: FileContext, input: { readonly text: string; readonly baseHash: string }) {
  const { text, baseHash } = input;
  return openConfigFile(file).change((before) => unmaskConfig(text, before), { baseHash, isWhole: true });
}
