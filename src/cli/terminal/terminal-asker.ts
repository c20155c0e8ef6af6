import { setImmediate as nextTurn } from "node:timers/promises";
import type { ApprovalAnswer, Choice } from "../../catalog/advice.ts";
import type { ApprovalQuestion, Asker } from "../../catalog/guard/askers.ts";
import { isInteractive, type World } from "../../core/process/world.ts";
import { shownLines } from "../../core/text/shown-text.ts";
import { readLine, runDialogue } from "./read-line.ts";
import { showPages } from "./show-pages.ts";

/** Asks the user at this terminal for the approvals that the guard needs. */
export function createTerminalAsker(world: Pick<World, "stdin" | "stderr">): Asker {
  return {
    id: "terminal",
    kind: "terminal",
    available: () => isInteractive(world),
    ask: (question, signal) => runDialogue(world.stdin, () => askOne(world, question, signal)),
  };
}

async function askOne(
  { stdin, stderr }: Pick<World, "stdin" | "stderr">,
  { id, text, choices, grantCommand }: ApprovalQuestion,
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  if (signal.aborted) return undefined;
  const offered = ["y = once", "n = no", ...choices.filter((choice) => choice !== "once")].join(", ");
  await discardTypedInput(stdin);
  const grant = grantCommand === undefined ? "" : `\nTo allow it for every caller, run \`${grantCommand}\`.`;
  stderr.write("\n");
  const outcome = await showPages(
    { stdin, stderr },
    `${id === undefined ? "" : `[${id}] `}${shownLines(text)}${grant}`,
    signal,
  );
  if (outcome === "refused") return "no";
  if (outcome === "shown") stderr.write(`Allow it? (${offered}) `);
  for (;;) {
    const typed = outcome === "gone" ? undefined : await readLine(stdin, signal);
    if (typed === undefined) {
      stderr.write(`(${typeof signal.reason === "string" ? signal.reason : "no longer needed"})\n`);
      return undefined;
    }
    const answer = parseChoice(typed.trim().toLowerCase(), choices);
    if (answer !== undefined) return answer;
    stderr.write(`Type one of these: ${offered} `);
  }
}

/** An empty line means no: pressing Enter without reading must not allow anything. A yes is for this call only. */
function parseChoice(typed: string, choices: readonly Choice[]): ApprovalAnswer | undefined {
  if (typed === "y" || typed === "yes") return "once";
  return "no".startsWith(typed) ? "no" : choices.find((choice) => choice.startsWith(typed));
}

/** Text typed before the question was shown can't be an answer to it. */
async function discardTypedInput(stdin: World["stdin"]): Promise<void> {
  const drop = () => {};
  stdin.on("data", drop);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  stdin.off("data", drop);
}
