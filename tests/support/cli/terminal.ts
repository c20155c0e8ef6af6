import { PassThrough } from "node:stream";
import type { World } from "../../../src/core/process/world.ts";

/** A terminal with a user who answers the questions in order and then closes the input. */
export function openTerminal(...answers: string[]): { readonly world: Partial<World>; shown(): string } {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const waiting = [...answers];
  let shown = "";
  const write = (text: string): void => {
    shown += text;
    // A question ends with a prompt instead of a line break.
    if (!/[\])] $/.test(text)) return;
    const next = waiting.shift();
    setImmediate(() => (next === undefined ? stdin.end() : stdin.write(`${next}\n`)));
  };
  return { world: { stdin, stderr: { isTTY: true, columns: 80, write } }, shown: () => shown };
}

export interface IdleTerminal {
  readonly world: Pick<World, "stdin" | "stderr">;
  shown(): string;
  type(line: string): void;
}

/** A terminal at which no one types unless told. */
export function openIdleTerminal(): IdleTerminal {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  let shown = "";
  const write = (text: string): void => void (shown += text);
  return {
    world: { stdin, stderr: { isTTY: true, columns: 80, write } },
    shown: () => shown,
    type: (line) => void stdin.write(`${line}\n`),
  };
}
