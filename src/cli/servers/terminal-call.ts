import type { CallContext } from "../../catalog/tool-source.ts";
import { isAtLeast } from "../../mcp/peer.ts";
import type { CommandContext } from "../command-context.ts";
import { plainText } from "../output/plain-text.ts";
import { createBottomLine } from "./bottom-line.ts";
import { progressText } from "./progress-text.ts";
import { askAtTerminal } from "./terminal-questions.ts";

/** A call made by the person at this terminal: progress is drawn there, questions are put there, Ctrl-C cancels. */
export function createTerminalCall(context: CommandContext): CallContext & { end(): void } {
  const { log, stderr, globals } = context;
  const line = createBottomLine(globals.quiet ? { write: () => {} } : stderr);
  const logLevel = globals.verbose ? "debug" : "info";
  let last: Promise<unknown> = Promise.resolve();
  return {
    caller: { door: "cli" },
    signal: context.stopSignal(),
    log,
    logLevel,
    progress: (progress) => line.show(progressText(progress)),
    tell({ level, data }) {
      if (!isAtLeast(level, logLevel)) return;
      line.clear();
      const text = typeof data === "string" ? data : JSON.stringify(data);
      log.info(plainText(text), { level });
    },
    ask(question) {
      // One after the other: two questions at once would share one line of typing.
      const turn = last.then(() => {
        line.clear();
        return askAtTerminal(question, context);
      });
      last = turn.catch(() => {});
      return turn;
    },
    end: () => line.clear(),
  };
}
