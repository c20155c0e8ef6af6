import { countText } from "../../../core/count-text.ts";
import type { AuditLoss } from "../../../catalog/audit/audit.ts";
import type { NodeDoor } from "../../../doors/node/node-door.ts";
import type { ServerStatus } from "../../../sources/servers/server-status.ts";
import type { ApprovalsList } from "../hub-control.ts";
import type { Attention } from "./insight-control.ts";

export interface AttentionFacts {
  readonly servers: readonly ServerStatus[];
  readonly approvals: ApprovalsList;
  readonly gatewayNode: Pick<NodeDoor, "gateway" | "state"> | undefined;
  readonly auditLoss: AuditLoss;
}

/** What waits for the user, the most urgent first. */
export function findAttention({ servers, approvals, gatewayNode, auditLoss }: AttentionFacts): readonly Attention[] {
  return [
    ...approvals.waiting.map(({ id, name, client, caller }): Attention => ({
      kind: "approval",
      subject: id,
      message: `${name} wants to run · ${client ?? caller.token ?? caller.door}`,
    })),
    ...auditAttention(auditLoss),
    ...servers.flatMap(serverAttention),
    ...pairingAttention(gatewayNode),
    ...pinAttention(approvals.changed),
    ...refusedAttention(approvals.refused),
  ];
}

function auditAttention(loss: AuditLoss): readonly Attention[] {
  const message = auditLossText(loss);
  return message === undefined ? [] : [{ kind: "audit", subject: "audit", message }];
}

/** Undefined if the audit is complete. */
export function auditLossText({ lines, isFailing }: AuditLoss): string | undefined {
  const missing = `${countText(lines, "call")} ${lines === 1 ? "is" : "are"} missing from the audit since the start`;
  if (!isFailing) return lines === 0 ? undefined : missing;
  return `the audit can't be written${lines === 0 ? "" : `: ${missing}`}`;
}

const downStates = ["reconnecting", "stopped", "degraded", "unusable"];

function serverAttention({ name, state, reason, lastError }: ServerStatus): readonly Attention[] {
  if (state === "needs-sign-in") return [{ kind: "sign-in", subject: name, message: `${name} needs you to sign in` }];
  if (!downStates.includes(state)) return [];
  const why = reason ?? lastError;
  return [
    { kind: "server-down", subject: name, message: why === undefined ? `${name} is ${state}` : `${name}: ${why}` },
  ];
}

function pairingAttention(node: AttentionFacts["gatewayNode"]): readonly Attention[] {
  const state = node?.state();
  if (node === undefined || state === undefined) return [];
  if (state.state !== "pairing-required" && state.state !== "rejected") return [];
  return [{ kind: "pairing", subject: node.gateway, message: state.fault.message }];
}

/** One entry a server, however many of its definitions changed. */
function pinAttention(changed: ApprovalsList["changed"]): readonly Attention[] {
  return [...Map.groupBy(changed, ({ source }) => source)].map(([server, held]) => ({
    kind: "pin",
    subject: server,
    message: `${server} changed ${countText(held.length, "definition")}`,
  }));
}

/** One entry for all: the calls are over, but may be made again. */
function refusedAttention(calls: ApprovalsList["refused"]): readonly Attention[] {
  const last = calls.at(-1);
  if (last === undefined) return [];
  const rest = calls.length - 1;
  const what = rest === 0 ? `${last.name} was` : `${last.name} and ${countText(rest, "other call")} were`;
  return [{ kind: "refused", subject: last.id, message: `${what} refused because no one answered` }];
}
