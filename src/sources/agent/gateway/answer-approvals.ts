import { messageOf } from "../../../core/fault.ts";
import { visibleText } from "../../../core/visible-text.ts";
import type { Question } from "../../../mcp/messages/interim-messages.ts";
import type { GatewayConnection, GatewayEvent } from "../../../openclaw/open-gateway.ts";
import type { ReplyOptions } from "../reply-backend.ts";

type ApprovalKind = "exec" | "plugin";

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
  readonly kind: ApprovalKind;
  readonly id: string;
  readonly request: ApprovalRequest;
}

/**
 * Puts what OpenClaw wants approved in the course of an order to whoever gave the order, and sends the decision back. No
 * answer, and nobody to ask, mean no.
 */
export function answerApprovals(
  gateway: GatewayConnection,
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
      const offered = offeredDecisions(approval.request);
      const { action, content } = await ask(approvalForm(approval, offered));
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
  return typeof id === "string" && request ? { kind: kind as ApprovalKind, id, request } : undefined;
}

function offeredDecisions({
  allowedDecisions = decisions,
  unavailableDecisions = [],
}: ApprovalRequest): readonly Decision[] {
  return decisions.filter((each) => allowedDecisions.includes(each) && !unavailableDecisions.includes(each));
}

function approvalForm({ kind, request }: Approval, offered: readonly Decision[]): Question {
  const decision = {
    type: "string",
    title: "Your answer",
    enum: offered,
    enumNames: offered.map((each) => titles[each]),
  };
  const requestedSchema = { type: "object", properties: { decision }, required: ["decision"] };
  const message = kind === "exec" ? commandText(request) : pluginText(request);
  return { method: "elicitation/create", params: { mode: "form", message, requestedSchema } };
}

function commandText({ command = "", cwd, warningText }: ApprovalRequest): string {
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

/**
 * The line over which OpenClaw sends what needs a person's approval. A client that takes approvals is one that OpenClaw
 * waits for, in all its conversations: so there is such a line only while orders run whose giver can be asked.
 */
export interface ApprovalConnection {
  /** Whoever has it, has it until it is released. */
  hold(signal: AbortSignal): Promise<HeldConnection>;
  close(): Promise<void>;
}

export interface HeldConnection {
  readonly gateway: GatewayConnection;
  release(): void;
}

/** Orders often come one after the other. */
const lingerMs = 10_000;

export function createApprovalConnection(
  open: () => Promise<GatewayConnection>,
  linger: number = lingerMs,
): ApprovalConnection {
  let line: Promise<GatewayConnection> | undefined;
  let holders = 0;
  let timer: NodeJS.Timeout | undefined;

  async function hangUp(): Promise<void> {
    const old = line;
    line = undefined;
    await (await old?.catch(() => undefined))?.close();
  }

  function letGo(): void {
    if (--holders > 0) return;
    timer = setTimeout(() => void hangUp(), linger);
    timer.unref();
  }

  return {
    async hold(signal) {
      clearTimeout(timer);
      holders++;
      try {
        const gateway = await (line ??= open());
        await gateway.connected(signal);
        let isHeld = true;
        const release = (): void => {
          if (isHeld) letGo();
          isHeld = false;
        };
        return { gateway, release };
      } catch (error) {
        letGo();
        throw error;
      }
    },
    async close() {
      clearTimeout(timer);
      await hangUp();
    },
  };
}
