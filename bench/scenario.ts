import type { Section } from "./section.ts";

export interface Effort {
  /** A short look instead of a measurement. */
  readonly quick: boolean;
}

export interface Scenario {
  readonly name: string;
  run(effort: Effort): Promise<readonly Section[]>;
}

/** The list in another order each round, so that none always comes after the same one. */
export function rotated<T>(list: readonly T[], round: number): readonly T[] {
  const shift = round % list.length;
  return [...list.slice(shift), ...list.slice(0, shift)];
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
