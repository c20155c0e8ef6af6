import { setImmediate as nextTurn } from "node:timers/promises";
import type { ApprovalAnswer, Choice } from "../../catalog/advice.ts";
import type { Asker } from "../../catalog/guard/askers.ts";
import { isInteractive, type World } from "../../core/process/world.ts";
import { inTurn, readLine } from "./read-line.ts";

/** Asks the user at this terminal for the approvals that the guard needs. */
export function createTerminalAsker(world: Pick<World, "stdin" | "stderr">): Asker {
  return {
    id: "terminal",
    kind: "terminal",
    available: () => isInteractive(world),
    ask: ({ text, choices }, signal) => inTurn(world.stdin, () => askOne(world, text, choices, signal)),
  };
}

async function askOne(
  { stdin, stderr }: Pick<World, "stdin" | "stderr">,
  text: string,
  choices: readonly Choice[],
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  if (signal.aborted) return undefined;
  const offered = ["no", ...choices].join(", ");
  await discardTypedInput(stdin);
  stderr.write(`\n${text}\nAllow it? (${offered}) `);
  for (;;) {
    const typed = await readLine(stdin, signal);
    if (typed === undefined) {
      stderr.write("(no longer needed)\n");
      return undefined;
    }
    const answer = parseChoice(typed.trim().toLowerCase(), choices);
    if (answer !== undefined) return answer;
    stderr.write(`Type one of these: ${offered} `);
  }
}

/** An empty line means no: pressing Enter without reading must not allow anything. */
function parseChoice(typed: string, choices: readonly Choice[]): ApprovalAnswer | undefined {
  return "no".startsWith(typed) ? "no" : choices.find((choice) => choice.startsWith(typed));
}

/** Text typed before the question was shown can't be an answer to it. */
async function discardTypedInput(stdin: World["stdin"]): Promise<void> {
  const drop = () => {};
  stdin.on("data", drop);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  stdin.off("data", drop);
}
