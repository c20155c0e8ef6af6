import { plainText } from "../output/plain-text.ts";
import type { World } from "../world.ts";

/** One line at the bottom of the terminal that changes and goes away again. Nothing is shown where there is no terminal. */
export interface BottomLine {
  show(text: string): void;
  clear(): void;
}

const wipe = "\r\u001B[K";

export function createBottomLine(output: World["stderr"]): BottomLine {
  let isShown = false;
  return {
    show(text) {
      if (output.isTTY !== true) return;
      output.write(`${wipe}${plainText(text).slice(0, Math.max(20, (output.columns ?? 80) - 1))}`);
      isShown = true;
    },
    clear() {
      if (isShown) output.write(wipe);
      isShown = false;
    },
  };
}
