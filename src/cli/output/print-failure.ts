import { isFault, toFault } from "../../core/fault.ts";
import { jsonText, visibleText } from "../../core/text/peer-text.ts";
import type { World } from "../../core/process/world.ts";
import { pasteable } from "./pasteable.ts";
import { createStyle, wantsColour } from "./style.ts";

/** More of a message or a stack than anyone reads. */
const maxLength = 20_000;

/** Prints the failure, as JSON on stdout for a program or as a line on stderr, and returns the exit code. */
export function printFailure(
  error: unknown,
  world: World,
  how: { readonly json: boolean; readonly verbose: boolean },
): number {
  const fault = toFault(error);
  if (how.json) {
    const { code, message, detail } = fault;
    world.stdout.write(`${jsonText({ error: { code, message, detail } })}\n`);
  } else {
    const style = createStyle(wantsColour(world.stderr, world.env));
    const unexpected = isFault(error) ? "" : "unexpected error: ";
    world.stderr.write(`${style.red("clawport:")} ${unexpected}${pasteable(boundedText(fault.message), world)}\n`);
    if (!isFault(error) && !how.verbose) world.stderr.write("Run it again with -v to see the stack.\n");
  }
  if (how.verbose) world.stderr.write(`${boundedText(stackOf(error))}\n`);
  return fault.row.exit;
}

function boundedText(text: string): string {
  return visibleText(text.replaceAll("\r\n", "\n").replaceAll("\t", "  "), maxLength);
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\ncaused by: ${stackOf(error.cause)}`;
}
