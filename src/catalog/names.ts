import { baseLength, settleNames } from "./settle-names.ts";
import type { NameRules } from "./settle-names.ts";

/** What a name is made of. `source` and `original` together are unique. */
export interface NameParts {
  readonly source: string;
  readonly original: string;
  readonly prefix?: string | undefined;
  /** Whether the source is part of this program: nothing from outside can take a name from it. */
  readonly own: boolean;
}

const valid = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/**
 * The names of the catalog, in the order of the parts: `<prefix>__<original>` where that is valid and nobody else wants
 * it, otherwise a readable rest of it with a hash of source and original.
 */
export function assignNames(parts: readonly NameParts[]): string[] {
  return settleNames(parts, rules);
}

/** The name as it would be written down by hand, valid or not. */
export function plainName({ prefix, original }: NameParts): string {
  return prefix ? `${prefix}__${original}` : original;
}

const rules: NameRules<NameParts> = {
  plain(parts) {
    const name = plainName(parts);
    return valid.test(name) ? name : undefined;
  },
  rank: (parts) => (parts.own ? 0 : 1),
  base(parts) {
    const cleaned = plainName(parts).replace(/[^A-Za-z0-9_.-]+/g, "_");
    return (/^[A-Za-z]/.test(cleaned) ? cleaned : `t_${cleaned}`).slice(0, baseLength);
  },
  // JSON escapes lone surrogates, which UTF-8 would make all alike.
  identity: (parts) => JSON.stringify([parts.source, parts.original]),
  fold: (name) => name,
};
