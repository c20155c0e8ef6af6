import type { Env } from "../process/child-env.ts";
import { pathKey, type ConfigPath } from "./config-path.ts";

export interface Substituted {
  readonly value: unknown;
  /** Where something was put in, by `pathKey`: text from the environment may stand for a number. */
  readonly touched: ReadonlySet<string>;
  /** Every name that was asked for. */
  readonly names: ReadonlySet<string>;
  readonly missing: readonly { readonly path: ConfigPath; readonly name: string }[];
  /** Texts with a `${` that is no reference. */
  readonly broken: readonly ConfigPath[];
}

const reference = /\$(?:\$|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::-([^}]*))?\}|(\{))/g;

/**
 * Replaces `$NAME`, `${NAME}` and `${NAME:-default}` in all texts; `$$` is a plain dollar sign, and so is one that begins no
 * name. Every missing name is reported: a person mending a configuration should not have to run it once per variable.
 */
export function substituteEnv(value: unknown, env: Env): Substituted {
  const touched = new Set<string>();
  const names = new Set<string>();
  const missing: { path: ConfigPath; name: string }[] = [];
  const broken: ConfigPath[] = [];

  function fill(text: string, path: ConfigPath): string {
    return text.replace(reference, (whole, bare?: string, braced?: string, standIn?: string, open?: string) => {
      const name = bare ?? braced;
      if (open !== undefined) broken.push(path);
      if (name === undefined) return open === undefined ? "$" : whole;
      names.add(name);
      touched.add(pathKey(path));
      const found = Object.hasOwn(env, name) ? env[name] : undefined;
      if (standIn !== undefined) return found ? found : standIn;
      if (found === undefined) missing.push({ path, name });
      return found ?? "";
    });
  }

  function walk(part: unknown, path: ConfigPath): unknown {
    if (typeof part === "string") return fill(part, path);
    if (Array.isArray(part)) return part.map((item, index) => walk(item, [...path, index]));
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, walk(item, [...path, key])]));
  }

  return { value: walk(value, []), touched, names, missing, broken };
}
