import type { Interface } from "node:readline";
import type { Asker } from "../catalog/guard/askers.ts";
import type { Choice } from "../catalog/opinion.ts";
import type { World } from "./world.ts";

/** Puts the guard's questions to the person who sits at the hub's terminal, one at a time. */
export function createTerminalAsker(world: Pick<World, "stdin" | "stderr">): Asker {
  let last: Promise<unknown> = Promise.resolve();
  return {
    id: "terminal",
    kind: "terminal",
    available: () => world.stderr.isTTY === true && world.stdin.isTTY === true,
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
): Promise<Choice | undefined> {
  if (signal.aborted) return undefined;
  const { createInterface } = await import("node:readline");
  const offered = ["no", ...choices].join(", ");
  stderr.write(`\n${text}\nAllow it? (${offered}) `);
  const lines = createInterface({ input: stdin });
  const answer = await firstLine(lines, signal);
  if (answer === undefined) stderr.write("(no longer needed)\n");
  const typed = answer?.trim().toLowerCase() ?? "";
  return choices.find((choice) => typed !== "" && choice.startsWith(typed) && !"no".startsWith(typed));
}

/** Nothing when the question was taken back or the input ended. */
function firstLine(lines: Interface, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (): void => lines.close();
    signal.addEventListener("abort", end, { once: true });
    lines.once("line", (line) => {
      resolve(line);
      lines.close();
    });
    lines.once("close", () => {
      signal.removeEventListener("abort", end);
      resolve(undefined);
    });
  });
}
