import { messageOf } from "../../../core/fault.ts";
import { visibleText } from "../../../core/text/peer-text.ts";
import type { Question } from "../../../mcp/messages/interim-messages.ts";
import type { GatewayConnection, GatewayEvent } from "../../../openclaw/open-gateway.ts";
import type { ReplyOptions } from "../reply-backend.ts";

type ApprovalKind = "exec" | "plugin";

const decisions = ["allow-once", "allow-always", "deny"] as const;
type Decision = (typeof decisions)[number];

const decisionTitles: Readonly<Record<Decision, string>> = {
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
 * Asks the caller of an order for the approvals that OpenClaw requests during it, and sends the decisions back. Without an
 * answer, or with no one to ask, the decision is to deny.
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
    // Orders of one conversation run one after the other: a request in it belongs to this order.
    if (runId === run.runId || sessionKey === run.sessionKey) void answer(approval);
  });

  async function answer(approval: Approval): Promise<void> {
    const { kind, id } = approval;
    const decision = await decide(approval);
    try {
      await gateway.request(`${kind}.approval.resolve`, { id, decision }, { signal });
    } catch (error) {
      log.warn("OpenClaw did not accept the decision; it may have been made elsewhere already", { id, error });
    }
  }

  async function decide(approval: Approval): Promise<Decision> {
    try {
      onActivity("waiting for approval");
      const offered = offeredDecisions(approval.request);
      const { action, content } = await ask(approvalForm(approval, offered));
      const chosen = action === "accept" ? (content as { decision?: unknown } | undefined)?.decision : undefined;
      return offered.find((each) => each === chosen) ?? "deny";
    } catch (error) {
      log.info("no one could be asked for approval, so it is denied", { reason: messageOf(error) });
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
    enumNames: offered.map((each) => decisionTitles[each]),
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
 * The connection over which OpenClaw sends requests for approval, shared by all orders and counted by reference. OpenClaw
 * waits for a client that takes approvals, in all its conversations. So this connection exists only while orders run whose
 * caller can be asked.
 */
export interface ApprovalConnection {
  /** The connection stays open at least until it is released. */
  hold(signal: AbortSignal): Promise<HeldConnection>;
  close(): Promise<void>;
}

export interface HeldConnection {
  readonly gateway: GatewayConnection;
  release(): void;
}

/** How long an unused connection stays open: orders often follow each other. */
const defaultIdleMs = 10_000;

export function createApprovalConnection(
  open: () => Promise<GatewayConnection>,
  idleMs: number = defaultIdleMs,
): ApprovalConnection {
  let connection: Promise<GatewayConnection> | undefined;
  let holders = 0;
  let timer: NodeJS.Timeout | undefined;

  async function disconnect(): Promise<void> {
    const old = connection;
    connection = undefined;
    await (await old?.catch(() => undefined))?.close();
  }

  function releaseOne(): void {
    if (--holders > 0) return;
    timer = setTimeout(() => void disconnect(), idleMs);
    timer.unref();
  }

  return {
    async hold(signal) {
      clearTimeout(timer);
      holders++;
      try {
        const gateway = await (connection ??= open());
        await gateway.connected(signal);
        let isHeld = true;
        const release = (): void => {
          if (isHeld) releaseOne();
          isHeld = false;
        };
        return { gateway, release };
      } catch (error) {
        releaseOne();
        throw error;
      }
    },
    async close() {
      clearTimeout(timer);
      await disconnect();
    },
  };
}
