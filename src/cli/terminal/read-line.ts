import { createInterface } from "node:readline";
import type { World } from "../../core/process/world.ts";

type Input = World["stdin"];

/** The next line that is typed; undefined once the input ends or the signal aborts. */
export function readLine(stdin: Input, signal?: AbortSignal): Promise<string | undefined> {
  if (signal?.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const lines = createInterface({ input: stdin });
    const end = (): void => lines.close();
    signal?.addEventListener("abort", end, { once: true });
    lines.once("line", (line) => {
      resolve(line);
      end();
    });
    lines.once("close", () => {
      signal?.removeEventListener("abort", end);
      resolve(undefined);
    });
  });
}

const lastTurns = new WeakMap<Input, Promise<unknown>>();

/** Runs one dialogue at a time: two questions at once would share one line of typing. */
export function inTurn<T>(stdin: Input, dialogue: () => Promise<T>): Promise<T> {
  const turn = (lastTurns.get(stdin) ?? Promise.resolve()).then(dialogue);
  lastTurns.set(
    stdin,
    turn.catch(() => {}),
  );
  return turn;
}

export function isYes(typed: string): boolean {
  return /^y(es)?$/i.test(typed.trim());
}
