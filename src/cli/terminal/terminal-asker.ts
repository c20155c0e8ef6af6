import { setImmediate as nextTurn } from "node:timers/promises";
import type { ApprovalAnswer, Choice } from "../../catalog/advice.ts";
import type { Asker } from "../../catalog/guard/askers.ts";
import { isInteractive, type World } from "../../core/process/world.ts";

/** Puts the guard's questions to the person who sits at the hub's terminal, one at a time. */
export function createTerminalAsker(world: Pick<World, "stdin" | "stderr">): Asker {
  let last: Promise<unknown> = Promise.resolve();
  return {
    id: "terminal",
    kind: "terminal",
    available: () => isInteractive(world),
    ask({ text, choices }, signal) {
      const turn = last.then(() => askOne(world, text, choices, signal));
      last = turn.catch(() => {});
      return turn;
    },
  };
}

async function askOne(
  { stdin, stderr }: Pick<World, "stdin" | "stderr">,
  text: string,
  choices: readonly Choice[],
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  if (signal.aborted) return undefined;
  const { readLine } = await import("./read-line.ts");
  const offered = ["no", ...choices].join(", ");
  await discardTypedInput(stdin);
  stderr.write(`\n${text}\nAllow it? (${offered}) `);
  for (;;) {
    const typed = await readLine(stdin, signal);
    if (typed === undefined) {
      stderr.write("(no longer needed)\n");
      return undefined;
    }
    const said = parseChoice(typed.trim().toLowerCase(), choices);
    if (said !== undefined) return said;
    stderr.write(`Please type one of these: ${offered} `);
  }
}

/** An empty line is a no: whoever presses Enter without reading has allowed nothing. */
function parseChoice(typed: string, choices: readonly Choice[]): ApprovalAnswer | undefined {
  return "no".startsWith(typed) ? "no" : choices.find((choice) => choice.startsWith(typed));
}

/** What was typed before the question was there answers something else. */
async function discardTypedInput(stdin: World["stdin"]): Promise<void> {
  const drop = () => {};
  stdin.on("data", drop);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  stdin.off("data", drop);
}
