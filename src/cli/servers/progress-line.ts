import type { Progress } from "../../mcp/progress.ts";
import { plainText } from "../output/plain-text.ts";
import type { World } from "../world.ts";

/** One line at the bottom of the terminal that says how far a call is. Nothing is shown where there is no terminal. */
export interface ProgressLine {
  show(progress: Progress): void;
  clear(): void;
}

export function createProgressLine(output: World["stderr"]): ProgressLine {
  let isShown = false;
  return {
    show(progress) {
      if (output.isTTY !== true) return;
      const text = progressText(progress).slice(0, Math.max(20, (output.columns ?? 80) - 1));
      output.write(`\r\u001B[K${text}`);
      isShown = true;
    },
    clear() {
      if (isShown) output.write("\r\u001B[K");
      isShown = false;
    },
  };
}

function progressText({ progress, total, message }: Progress): string {
  const share = total === undefined || total <= 0 ? undefined : Math.min(1, progress / total);
  const amount =
    share === undefined ? String(progress) : `${String(Math.round(share * 100)).padStart(3)} % ${bar(share)}`;
  return message === undefined ? amount : `${amount} ${plainText(message)}`;
}

function bar(share: number): string {
  const full = Math.round(share * 20);
  return `${"█".repeat(full)}${"░".repeat(20 - full)}`;
}
