import type { CallContext } from "../../catalog/call-context.ts";
import { isApprovalNotice } from "../../catalog/guard/askers.ts";
import { sanitizeLine } from "../../core/text/peer-text.ts";
import type { FolderControl } from "../../hub/control/verbs.ts";
import { isLevelAtLeast, type Progress } from "../../mcp/messages/interim-messages.ts";
import type { CommandContext } from "../command-context.ts";
import { askAtTerminal } from "./ask-at-terminal.ts";
import { createStatusLine } from "./status-line.ts";
import type { Choice } from "../../catalog/advice.ts";

/** Levels of servers that are not `info` at this terminal. */
const ownLevels: Readonly<Record<string, "debug" | "warn" | "error">> = {
  debug: "debug",
  warning: "warn",
  error: "error",
  critical: "error",
  alert: "error",
  emergency: "error",
};

/**
 * A call made by the user at this terminal: it shows the progress, asks the questions there, and Ctrl-C cancels it.
 * `approvals` are those of the hub if one runs the call: if the hub has no terminal, this one asks for them.
 */
export function createTerminalCall(
  context: CommandContext,
  approvals?: FolderControl["approvals"],
): CallContext & { end(): void } {
  const { log, stderr, globals } = context;
  const line = createStatusLine(globals.quiet ? { write: () => {} } : stderr);
  const logLevel = globals.verbose ? "debug" : "info";
  const ended = new AbortController();
  const signal = context.stopSignal();
  let isAsking = false;
  return {
    caller: { door: "cli" },
    signal,
    log,
    logLevel,
    progress: (progress) => line.show(progressText(progress)),
    tell({ level, data }) {
      if (!isLevelAtLeast(level, logLevel)) return;
      line.clear();
      const notice = isApprovalNotice(data) ? data : undefined;
      if (notice?.asks === true && approvals !== undefined) return void approve(approvals, notice.approval);
      const text = notice?.text ?? (typeof data === "string" ? data : JSON.stringify(data));
      log[ownLevels[level] ?? "info"](sanitizeLine(text));
    },
    ask: (question) => askAtTerminal(question, context, signal, line),
    end() {
      line.clear();
      ended.abort();
    },
  };

  async function approve(control: FolderControl["approvals"], id: string): Promise<void> {
    // A call has one question at a time; a server could send any number of such notices.
    if (isAsking) return;
    isAsking = true;
    try {
      await answerWaitingCall(context, control, id, ended.signal);
    } catch (error) {
      if (!ended.signal.aborted) log.warn("could not ask for approval", { error });
    } finally {
      isAsking = false;
    }
  }
}

/** Percent and a bar if the total is known, else the plain number. */
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

/** Asks the user of a command whose call waits in the hub, and sends the answer there. */
async function answerWaitingCall(
  { createAsker }: Pick<CommandContext, "createAsker">,
  approvals: FolderControl["approvals"],
  id: string,
  signal: AbortSignal,
): Promise<void> {
  // Only the hub's own words are shown: a server can send any id and any text in a log line.
  const { call, text } = await approvals.show({ id });
  if (call.caller.door !== "cli" || text === undefined || signal.aborted) return;
  const { name: tool, source, caller, lasting, openUntil } = call;
  const choices: readonly Choice[] = lasting ? ["once", "always", "never"] : ["once"];
  const expiresAt = openUntil === undefined ? Date.now() : Date.parse(openUntil);
  const question = { id, tool, source, caller, text, choices, expiresAt };
  const answer = await (await createAsker()).ask(question, signal);
  if (!signal.aborted) await approvals.approve({ id, answer: answer ?? "no", confirmed: true, seen: call.hash });
}
