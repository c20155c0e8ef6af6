import type { CommandContext } from "../command-context.ts";
import { createBottomLine } from "./bottom-line.ts";

/** Nothing flickers for work that is done at once. */
const afterMs = 500;

/** Says at the bottom of the terminal what is being waited for, and wipes it away. */
export async function showWhile<T>(context: CommandContext, text: string, work: Promise<T>): Promise<T> {
  const { stderr, json, globals } = context;
  if (json || globals.quiet) return work;
  const line = createBottomLine(stderr);
  const timer = setTimeout(() => line.show(text), afterMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    line.clear();
  }
}
