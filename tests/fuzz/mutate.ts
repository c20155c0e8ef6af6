import { junk, oddKeys } from "./junk.ts";
import type { Random } from "../support/random.ts";

/** The same value with one part, at any depth, removed, replaced or renamed. */
export function mutate(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random.chance(0.15)) return junk(random);
  if (Array.isArray(value)) {
    const at = random.int(value.length + 1);
    return value.toSpliced(at, random.int(2), junk(random));
  }
  const entries: [string, unknown][] = Object.entries(value);
  if (entries.length === 0) return { [random.pick(oddKeys)]: junk(random) };
  const at = random.int(entries.length);
  const [key, part] = entries[at] ?? ["", undefined];
  switch (random.int(5)) {
    case 0:
      entries.splice(at, 1);
      break;
    case 1:
      entries[at] = [key, junk(random)];
      break;
    case 2:
      entries[at] = [random.pick(oddKeys), part];
      break;
    default:
      entries[at] = [key, mutate(random, part)];
  }
  return Object.fromEntries(entries);
}
