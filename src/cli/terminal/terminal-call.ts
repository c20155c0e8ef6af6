import type { CallContext } from "../../catalog/call-context.ts";
import { sanitizeLine } from "../../core/sanitize-text.ts";
import type { Progress } from "../../mcp/messages/interim-messages.ts";
import { isAtLeast } from "../../mcp/server/peer.ts";
import type { CommandContext } from "../command-context.ts";
import { askAtTerminal } from "./ask-at-terminal.ts";
import { createStatusLine } from "./status-line.ts";

/** A call made by the person at this terminal: progress is drawn there, questions are put there, Ctrl-C cancels. */
export function createTerminalCall(context: CommandContext): CallContext & { end(): void } {
  const { log, stderr, globals } = context;
  const line = createStatusLine(globals.quiet ? { write: () => {} } : stderr);
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
      log.info(sanitizeLine(text), { level });
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

/** How far a call is, with a bar where its end is known. */
function progressText({ progress, total, message }: Progress): string {
  const share = total === undefined || total <= 0 ? undefined : Math.min(1, progress / total);
  const amount =
    share === undefined ? String(progress) : `${String(Math.round(share * 100)).padStart(3)} % ${bar(share)}`;
  return message === undefined ? amount : `${amount} ${message}`;
}

function bar(share: number): string {
  const full = Math.round(share * 20);
  return `${"█".repeat(full)}${"░".repeat(20 - full)}`;
}
