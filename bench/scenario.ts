import { setTimeout as sleep } from "node:timers/promises";
import type { Section } from "./section.ts";

export interface Effort {
  /** A short look instead of a measurement. */
  readonly quick: boolean;
}

export interface Scenario {
  readonly name: string;
  run(effort: Effort): Promise<readonly Section[]>;
}

const patienceMs = 600_000;

/** A scenario that breaks or hangs is a missed bar, and the others still run. */
export async function runScenario(scenario: Scenario, effort: Effort): Promise<readonly Section[]> {
  const late = new AbortController();
  try {
    const tooLong = sleep(patienceMs, undefined, { signal: late.signal }).then(() => {
      throw new Error(`no end after ${patienceMs / 60_000} minutes`);
    });
    return await Promise.race([scenario.run(effort), tooLong]);
  } catch (error) {
    return [
      {
        title: scenario.name,
        notes: [`Failed: ${String(error).split("\n", 1)[0]!.slice(0, 200)}`],
        columns: [],
        rows: [],
        missed: 1,
      },
    ];
  } finally {
    late.abort();
  }
}

/** The list in another order each round, so that none always comes after the same one. */
export function rotated<T>(list: readonly T[], round: number): readonly T[] {
  const shift = round % list.length;
  return [...list.slice(shift), ...list.slice(0, shift)];
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
