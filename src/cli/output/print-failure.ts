import { isFault, toFault } from "../../core/fault.ts";
import type { World } from "../../core/process/world.ts";
import { visibleText } from "../../core/visible-text.ts";
import { createStyle, wantsColour } from "./style.ts";

/** Of a message or a stack, more than anybody reads. */
const longest = 20_000;

/** Says what went wrong and returns the exit code. A program gets one JSON object on stdout, a person a line on stderr. */
export function printFailure(
  error: unknown,
  world: World,
  how: { readonly json: boolean; readonly verbose: boolean },
): number {
  const fault = toFault(error);
  if (how.json) {
    const { code, message, detail } = fault;
    world.stdout.write(`${JSON.stringify({ error: { code, message, detail } })}\n`);
  } else {
    const style = createStyle(wantsColour(world.stderr, world.env));
    const unforeseen = isFault(error) ? "" : "something went wrong that nobody foresaw: ";
    world.stderr.write(`${style.red("clawport:")} ${unforeseen}${boundedText(fault.message)}\n`);
    if (!isFault(error) && !how.verbose) world.stderr.write("run with -v for the stack\n");
  }
  if (how.verbose) world.stderr.write(`${boundedText(stackOf(error))}\n`);
  return fault.row.exit;
}

function boundedText(text: string): string {
  return visibleText(text.replaceAll("\r\n", "\n").replaceAll("\t", "  "), longest);
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\ncaused by: ${stackOf(error.cause)}`;
}
