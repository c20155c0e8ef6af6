import { PassThrough } from "node:stream";
import type { World } from "../../src/core/process/world.ts";

/** Somebody at a terminal who answers each question, one after the other, and then leaves it at that. */
export function openTerminal(...answers: string[]): { readonly world: Partial<World>; shown(): string } {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const waiting = [...answers];
  let shown = "";
  const write = (text: string): void => {
    shown += text;
    // A question is what waits at the end of its line.
    if (!/[\])] $/.test(text)) return;
    const next = waiting.shift();
    setImmediate(() => (next === undefined ? stdin.end() : stdin.write(`${next}\n`)));
  };
  return { world: { stdin, stderr: { isTTY: true, columns: 80, write } }, shown: () => shown };
}
