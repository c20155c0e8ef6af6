import type { GivenAnswer } from "../../catalog/guard/approvals.ts";
import { type ApprovalsFile, isAfter } from "../../catalog/guard/approvals-file.ts";
import type { HeldDefinition } from "../../catalog/guard/held-definition.ts";
import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/text/peer-text.ts";
import type { FolderContext } from "./contexts.ts";
import type { Input } from "./input.ts";
import type { forgottenPins, answerInput, judgedDefinition } from "./verbs/guard.ts";

export interface ApprovalsList extends Pick<ApprovalsFile, "approvals" | "waiting"> {
  /** Calls that no one answered in time. They are over, but can be approved for when they are made again. */
  readonly refused: ApprovalsFile["waiting"];
  /** Definitions of servers that wait for an answer. */
  readonly changed: readonly HeldDefinition[];
}

export async function listApprovals(folder: FolderContext): Promise<ApprovalsList> {
  const { approvals, waiting: calls } = await (await folder.openApprovals()).list();
  const held = await (await folder.openPins()).list();
  const now = Date.now();
  const { waiting = [], refused = [] } = Object.groupBy(calls, ({ openUntil }) =>
    isAfter(openUntil, now) ? "waiting" : "refused",
  );
  return { approvals, waiting, refused, changed: held.filter(({ state }) => state !== "refused") };
}

export async function approveCall(folder: FolderContext, input: Input<typeof answerInput>): Promise<GivenAnswer> {
  const { id, answer = "once", widened, confirmed, seen, by } = input;
  const isRefusal = answer === "no" || answer === "never";
  if (isRefusal && widened !== undefined)
    throw new Fault("bad-params", "Only an approval can be for every tool or every caller.");
  if (!isRefusal) await requireApprover(folder, confirmed);
  return (await folder.openApprovals()).answer(id, answer, widened, seen, folder.answersBy ?? by);
}

export async function acceptDefinition(
  folder: FolderContext,
  { name, confirmed, seen }: Input<typeof judgedDefinition>,
) {
  await requireApprover(folder, confirmed);
  const accepted = await (await folder.openPins()).accept(name, seen);
  if (accepted.length > 0) return accepted;
  const message = `${quoted(name)} has no new definition to accept. Run \`clawport approvals\` to see what does.`;
  throw new Fault("not-found", message);
}

/** Every caller of the control API may keep a definition blocked. */
export async function rejectDefinition(
  folder: FolderContext,
  { name, seen }: Input<Pick<typeof judgedDefinition, "name" | "seen">>,
) {
  const rejected = await (await folder.openPins()).reject(name, seen);
  if (rejected.length > 0) return rejected;
  const message = `${quoted(name)} has no new definition to reject. Run \`clawport approvals\` to see what does.`;
  throw new Fault("not-found", message);
}

/** It accepts whatever the server lists next, so it needs a person. */
export async function forgetPins(folder: FolderContext, { server, confirmed }: Input<typeof forgottenPins>) {
  await requireApprover(folder, confirmed);
  const forgotten = await (await folder.openPins()).forget(server);
  if (forgotten > 0) return { forgotten };
  throw new Fault("not-found", `There are no pins of ${quoted(server)}. Run \`clawport servers\` to list the servers.`);
}

async function requireApprover(folder: FolderContext, confirmed = false): Promise<void> {
  if (confirmed || (await folder.allowsUnattended())) return;
  throw new Fault("denied", noApprover);
}

/** Does not say how to change that: the reader may be the model that is to be stopped. */
export const noApprover = "Approving needs a person who confirms it at a terminal.";
