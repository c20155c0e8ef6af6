import { plainText } from "../output/plain-text.ts";
import type { CommandContext } from "../command-context.ts";

/** Nothing flickers for work that is done at once. */
const afterMs = 500;

/** Says at the bottom of the terminal what is being waited for, and wipes it away. Nothing where there is no terminal. */
export async function showWhile<T>(context: CommandContext, text: string, work: Promise<T>): Promise<T> {
  const { stderr, json, globals } = context;
  if (stderr.isTTY !== true || json || globals.quiet) return work;
  let isShown = false;
  const timer = setTimeout(() => {
    isShown = true;
    stderr.write(`\r\u001B[K${plainText(text).slice(0, Math.max(20, (stderr.columns ?? 80) - 1))}`);
  }, afterMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    if (isShown) stderr.write("\r\u001B[K");
  }
}
