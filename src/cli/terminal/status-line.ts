import { sanitizeLine } from "../../core/text/peer-text.ts";
import type { World } from "../../core/process/world.ts";

/** A line at the bottom of the terminal that changes and goes away again. It shows nothing if the output is not a terminal. */
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

/** Long enough that work which ends at once does not make the line flicker. */
const showAfterMs = 500;

/** Shows the text at the bottom of the terminal until the work is done. */
export async function showStatusWhile<T>(output: World["stderr"], text: string, work: Promise<T>): Promise<T> {
  const line = createStatusLine(output);
  const timer = setTimeout(() => line.show(text), showAfterMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    line.clear();
  }
}
