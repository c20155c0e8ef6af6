import { existsSync } from "node:fs";
import type { ConfigProblem } from "../../../core/config/config-problem.ts";
import { readConfigText } from "../../../core/config/load-config.ts";
import { Json5Fault } from "../../../core/config/json5/read-json5.ts";
import { parseConfig } from "../../../core/config/parse-config.ts";
import { toFault } from "../../../core/fault.ts";
import { asRecord } from "../../../core/is-record.ts";
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
  const current = existsSync(place.path) ? await readConfigText(place.path) : "";
  let whole: string;
  try {
    whole = unmaskConfig(text, current);
  } catch (error) {
    return { problems: unreadable(text, env, error), ok: false };
  }
  const problems = await findProblems(place, whole, env);
  return { problems, ok: parseConfig(whole, env).problems === undefined };
}

/** A text with a syntax error, or with a masked value that was moved: what is wrong is a problem of a line, too. */
function unreadable(text: string, env: FileContext["env"], error: unknown): readonly ConfigProblem[] {
  const syntax = error instanceof Json5Fault ? parseConfig(text, env).problems : undefined;
  if (syntax !== undefined) return syntax;
  const { message, detail } = toFault(error);
  const line = Number(asRecord(detail)["line"] ?? 1);
  return [{ path: "", line, column: 1, message }];
}

/** Masked values stay as they are in the file. */
export function writeConfig(file: FileContext, input: { readonly text: string; readonly baseHash: string }) {
  const { text, baseHash } = input;
  return openConfigFile(file).change((before) => unmaskConfig(text, before), { baseHash, isWhole: true });
}
