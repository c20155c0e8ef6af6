import type { Choice } from "../../catalog/advice.ts";
import type { ApprovalsControl } from "../../hub/control/hub-control.ts";
import type { CommandContext } from "../command-context.ts";

/** Asks the user of a command whose call waits in the hub, and sends the answer there. */
export async function answerWaitingCall(
  { createAsker }: Pick<CommandContext, "createAsker">,
  approvals: ApprovalsControl,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  // Only the hub's own words are shown: a server can send any id and any text in a log line.
  const { call, text } = await approvals.show(id);
  if (call.caller.door !== "cli" || text === undefined || signal.aborted) return;
  const { name: tool, source, caller, lasting, openUntil } = call;
  const choices: readonly Choice[] = lasting ? ["once", "always", "never"] : ["once"];
  const expiresAt = openUntil === undefined ? Date.now() : Date.parse(openUntil);
  const question = { id, tool, source, caller, text, choices, expiresAt };
  const answer = await (await createAsker()).ask(question, signal);
  if (!signal.aborted) await approvals.approve(id, { answer: answer ?? "no", confirmed: true, seen: call.hash });
}
