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

/** Somebody's wish for a name: worked out once and kept, since all wishes are weighed again at every change. */
export interface NameWish extends NameParts {
  /** The name as it would be written down by hand. */
  readonly plain: string;
  readonly isValid: boolean;
}

const valid = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

export function wishForName(parts: NameParts): NameWish {
  const plain = parts.prefix ? `${parts.prefix}__${parts.original}` : parts.original;
  return { ...parts, plain, isValid: valid.test(plain) };
}

/**
 * The names of the catalog, in the order of the wishes: `<prefix>__<original>` where that is valid and nobody else
 * wants it, otherwise a readable rest of it with a hash of source and original.
 */
export function assignNames(wishes: readonly NameWish[]): string[] {
  return settleNames(wishes, rules);
}

const rules: NameRules<NameWish> = {
  plain: (wish) => (wish.isValid ? wish.plain : undefined),
  rank: (wish) => (wish.own ? 0 : 1),
  base(wish) {
    const cleaned = wish.plain.replace(/[^A-Za-z0-9_.-]+/g, "_");
    return (/^[A-Za-z]/.test(cleaned) ? cleaned : `t_${cleaned}`).slice(0, baseLength);
  },
  // JSON escapes lone surrogates, which UTF-8 would make all alike.
  identity: (wish) => JSON.stringify([wish.source, wish.original]),
  fold: (name) => name,
};
