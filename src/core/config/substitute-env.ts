import type { Env } from "../process/child-env.ts";
import { pathKey, type ConfigPath } from "./config-path.ts";

export interface SubstitutedConfig {
  readonly value: unknown;
  /** Where something was replaced, by `pathKey`: text from the environment may stand for a number. */
  readonly substituted: ReadonlySet<string>;
  /** What was taken from the environment, and where it went. */
  readonly values: readonly { readonly path: ConfigPath; readonly name: string; readonly value: string }[];
  /** Every variable that is referred to. */
  readonly names: ReadonlySet<string>;
  readonly missing: readonly { readonly path: ConfigPath; readonly name: string }[];
  /** Every secret that is kept elsewhere (`keychain:name`, `file:path`, `op://…`, `cmd:…`), and where it is used. */
  readonly references: readonly { readonly path: ConfigPath; readonly name: string }[];
  /** Strings with a `${` that does not begin a reference. */
  readonly broken: readonly ConfigPath[];
}

const reference =
  /\$(?:\$|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::-([^}]*))?\}|\{((?:keychain|file|cmd):[^}]+|op:\/\/[^}]+)\}|(\{))/g;

/** Whether the name is that of a secret which is kept elsewhere, and not of a variable. */
export function isReference(name: string): boolean {
  return name.includes(":");
}

/**
 * Replaces `$NAME`, `${NAME}` and `${NAME:-default}` in all strings. `$$` is a plain dollar sign, and so is a `$` that no
 * name follows. Every missing variable is reported, so that a person need not run it once for each. A reference to a secret
 * that is kept elsewhere is replaced by its value in `secrets`; it stays as it is if there is none.
 */
export function substituteEnv(
  value: unknown,
  env: Env,
  secrets: ReadonlyMap<string, string> = new Map(),
): SubstitutedConfig {
  const substituted = new Set<string>();
  const values: { path: ConfigPath; name: string; value: string }[] = [];
  const names = new Set<string>();
  const missing: { path: ConfigPath; name: string }[] = [];
  const references: { path: ConfigPath; name: string }[] = [];
  const broken: ConfigPath[] = [];

  function fillReference(whole: string, name: string, path: ConfigPath): string {
    references.push({ path, name });
    const found = secrets.get(name);
    if (found === undefined) return whole;
    substituted.add(pathKey(path));
    values.push({ path, name, value: found });
    return found;
  }

  function fill(text: string, path: ConfigPath): string {
    return text.replace(reference, (whole, ...groups: (string | undefined)[]) => {
      const [bare, braced, fallback, kept, open] = groups;
      if (kept !== undefined) return fillReference(whole, kept, path);
      const name = bare ?? braced;
      if (open !== undefined) broken.push(path);
      if (name === undefined) return open === undefined ? "$" : whole;
      names.add(name);
      substituted.add(pathKey(path));
      const found = Object.hasOwn(env, name) ? env[name] : undefined;
      if (found) values.push({ path, name, value: found });
      if (fallback !== undefined) return found ? found : fallback;
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

  return { value: walk(value, []), substituted, values, names, missing, references, broken };
}
