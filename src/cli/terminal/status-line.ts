import type { World } from "../../core/process/world.ts";
import { sanitizeLine } from "../../core/sanitize-text.ts";
import type { CommandContext } from "../command-context.ts";

/** One line at the bottom of the terminal that changes and goes away again. Nothing is shown where there is no terminal. */
export interface StatusLine {
  show(text: string): void;
  clear(): void;
}

const eraseLine = "\r\u001B[K";

export function createStatusLine(output: World["stderr"]): StatusLine {
  let isShown = false;
  return {
    show(text) {
      if (output.isTTY !== true) return;
      output.write(`${eraseLine}${sanitizeLine(text).slice(0, Math.max(20, (output.columns ?? 80) - 1))}`);
      isShown = true;
    },
    clear() {
      if (isShown) output.write(eraseLine);
      isShown = false;
    },
  };
}

/** Nothing flickers for work that is done at once. */
const showAfterMs = 500;

/** Says at the bottom of the terminal what is being waited for, and wipes it away. */
export async function showStatusWhile<T>(context: CommandContext, text: string, work: Promise<T>): Promise<T> {
  const { stderr, json, globals } = context;
  if (json || globals.quiet) return work;
  const line = createStatusLine(stderr);
  const timer = setTimeout(() => line.show(text), showAfterMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    line.clear();
  }
}
