import { secretsIn } from "../secret-shapes.ts";

const maxText = 65_536;
const maxPrints = 500;

/** Long unusual strings: letters and digits mixed, so that no word of a language is one. */
const unusual = /[\p{L}\p{N}][\p{L}\p{N}_+/=.@:-]{14,200}/gu;

const isUnusual = (text: string): boolean =>
  /\d/.test(text) && /\p{L}/u.test(text) && !/^https?:|^[\w-]+(?:\.[\w-]+)+$|^\d{4}-\d\d-\d\dT/.test(text);

/** Numbers that tell whether a string occurred, without keeping it. */
export function fingerprintsOf(value: unknown): ReadonlySet<number> {
  const found = new Set<number>();
  for (const text of textsIn(value)) {
    const part = text.slice(0, maxText);
    for (const { start, end } of secretsIn(part)) found.add(fingerprint(part.slice(start, end)));
    for (const [token] of part.matchAll(unusual)) {
      if (found.size >= maxPrints) return found;
      if (isUnusual(token)) found.add(fingerprint(token));
    }
  }
  return found;
}

const address = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}|https?:\/\/([\w.-]{3,253})/gi;

/** Mail addresses, and the hosts of links. */
export function addressesIn(value: unknown): readonly string[] {
  return textsIn(value).flatMap((text) =>
    [...text.slice(0, maxText).matchAll(address)].map(([whole, host]) =>
      (host ?? whole).toLowerCase().replace(/\.$/, ""),
    ),
  );
}

const maxNodes = 2000;

/** Every string of a value, in its order. */
function textsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  const open: unknown[] = [value];
  for (let nodes = 0; open.length > 0 && nodes < maxNodes; nodes++) {
    const each = open.pop();
    if (typeof each === "string") texts.push(each);
    else if (typeof each === "object" && each !== null) open.push(...Object.values(each).slice(0, maxNodes));
  }
  return texts;
}

/** FNV-1a over 53 bits in two halves: fast, and no string can be made from it. */
function fingerprint(text: string): number {
  let [low, high] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < text.length; index++) {
    low = Math.imul(low ^ text.charCodeAt(index), 0x01000193);
    high = Math.imul(high ^ text.charCodeAt(index), 0x85ebca6b);
  }
  return (low >>> 0) * 0x200000 + ((high >>> 0) & 0x1fffff);
}
