import { baseLength, settleNames } from "./settle-names.ts";
import type { NameRules } from "./settle-names.ts";

export interface NarrowNames {
  /** From a name of the catalog to the one a narrow peer sees. */
  readonly narrow: ReadonlyMap<string, string>;
  /** And back. */
  readonly wide: ReadonlyMap<string, string>;
}

const narrowName = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Names for peers that take only `[A-Za-z0-9_-]{1,64}`. Unique whatever the case of the letters, since OpenClaw
 * compares without it; and none is another tool's wide name, so that a call may come under either.
 */
export function narrowNames(names: readonly string[]): NarrowNames {
  const wideNames = [...new Set(names)];
  const settled = settleNames(wideNames, rules);
  return {
    narrow: new Map(wideNames.map((name, index) => [name, settled[index]!])),
    wide: new Map(wideNames.map((name, index) => [settled[index]!, name])),
  };
}

const clean = (name: string): string => name.replace(/[^A-Za-z0-9_-]+/g, "_");

const rules: NameRules<string> = {
  plain(name) {
    const cleaned = clean(name);
    return narrowName.test(cleaned) ? cleaned : undefined;
  },
  rank: (name) => (narrowName.test(name) ? 0 : 1),
  base: (name) => clean(name).slice(0, baseLength) || "t",
  identity: (name) => JSON.stringify(name),
  fold: (name) => name.toLowerCase(),
};
