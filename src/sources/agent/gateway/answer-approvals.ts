import { visibleText } from "../../../catalog/guard/visible-text.ts";
import { messageOf } from "../../../core/thrown.ts";
import type { Question } from "../../../mcp/question.ts";
import type { ReplyOptions } from "../reply.ts";
import type { Gateway, GatewayEvent } from "./open-gateway.ts";

type Kind = "exec" | "plugin";

const decisions = ["allow-once", "allow-always", "deny"] as const;
type Decision = (typeof decisions)[number];

const titles: Readonly<Record<Decision, string>> = {
  "allow-once": "Allow this once",
  "allow-always": "Always allow this",
  deny: "Don't allow this",
};

interface ApprovalRequest {
  readonly runId?: string | null;
  readonly sessionKey?: string | null;
  readonly command?: string;
  readonly cwd?: string | null;
  readonly warningText?: string | null;
  readonly title?: string;
  readonly description?: string;
  readonly toolName?: string | null;
  readonly allowedDecisions?: readonly string[];
  readonly unavailableDecisions?: readonly string[];
}

interface Approval {
  readonly kind: Kind;
  readonly id: string;
  readonly request: ApprovalRequest;
}

/**
 * Puts what OpenClaw wants approved in the course of an order to whoever gave the order, and sends the decision back. No
 * answer, and nobody to ask, mean no.
 */
export function answerApprovals(
  gateway: Gateway,
  run: { readonly runId: string; readonly sessionKey: string },
  { ask, onActivity, signal, log }: ReplyOptions,
): () => void {
  return gateway.onEvent((event) => {
    const approval = readApproval(event);
    if (approval === undefined) return;
    const { runId, sessionKey } = approval.request;
    // Orders of one conversation run one after the other: what comes up in it belongs to this one.
    if (runId === run.runId || sessionKey === run.sessionKey) void answer(approval);
  });

  async function answer(approval: Approval): Promise<void> {
    const { kind, id } = approval;
    const decision = await decide(approval);
    try {
      await gateway.request(`${kind}.approval.resolve`, { id, decision }, { signal });
    } catch (error) {
      log.warn("a decision did not reach OpenClaw; somebody else may have been faster", { id, error });
    }
  }

  async function decide(approval: Approval): Promise<Decision> {
    try {
      onActivity("waiting for an approval");
      const offered = decisionsOf(approval.request);
      const { action, content } = await ask(questionOf(approval, offered));
      const chosen = action === "accept" ? (content as { decision?: unknown } | undefined)?.decision : undefined;
      return offered.find((each) => each === chosen) ?? "deny";
    } catch (error) {
      log.info("nobody could be asked for an approval, so the answer is no", { reason: messageOf(error) });
      return "deny";
    }
  }
}

function readApproval({ event, payload }: GatewayEvent): Approval | undefined {
  const [, kind] = /^(exec|plugin)\.approval\.requested$/.exec(event) ?? [];
  if (kind === undefined || typeof payload !== "object" || payload === null) return undefined;
  const { id, request } = payload as Partial<Approval>;
  return typeof id === "string" && request ? { kind: kind as Kind, id, request } : undefined;
}

function decisionsOf({
  allowedDecisions = decisions,
  unavailableDecisions = [],
}: ApprovalRequest): readonly Decision[] {
  return decisions.filter((each) => allowedDecisions.includes(each) && !unavailableDecisions.includes(each));
}

function questionOf({ kind, request }: Approval, offered: readonly Decision[]): Question {
  const decision = {
    type: "string",
    title: "Your answer",
    enum: offered,
    enumNames: offered.map((each) => titles[each]),
  };
  const requestedSchema = { type: "object", properties: { decision }, required: ["decision"] };
  const message = kind === "exec" ? execText(request) : pluginText(request);
  return { method: "elicitation/create", params: { mode: "form", message, requestedSchema } };
}

function execText({ command = "", cwd, warningText }: ApprovalRequest): string {
  const lines = [
    "OpenClaw wants to run a command:",
    visibleText(command, 4000),
    ...(cwd ? [`In ${visibleText(cwd, 500)}`] : []),
    ...(warningText ? [visibleText(warningText, 1000)] : []),
  ];
  return lines.join("\n");
}

function pluginText({ title = "", description = "", toolName }: ApprovalRequest): string {
  const lines = [
    `OpenClaw asks: ${visibleText(title, 200)}`,
    visibleText(description, 1000),
    ...(toolName ? [`Tool: ${visibleText(toolName, 200)}`] : []),
  ];
  return lines.join("\n");
}
