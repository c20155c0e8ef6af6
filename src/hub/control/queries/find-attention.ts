import { countText } from "../../../core/text/count-text.ts";
import { serverStateRow } from "../../../core/server-states.ts";
import type { AuditLoss } from "../../../catalog/audit/audit.ts";
import { auditLossText } from "../../../catalog/audit/call-words.ts";
import type { NodeDoor } from "../../../doors/node/node-door.ts";
import type { ServerStatus } from "../../../sources/servers/server-status.ts";
import { type ApprovalsList, listApprovals } from "../approvals.ts";
import type { HubContext } from "../contexts.ts";

export interface Attention {
  readonly kind: "sign-in" | "server-down" | "pairing" | "approval" | "pin" | "refused" | "audit";
  /** The server, the id of the call that waits or was refused, the definition, or the gateway. */
  readonly subject: string;
  readonly message: string;
  /** What the user can do about a server, as arguments of `clawport`. */
  readonly remedy?: string | undefined;
}

export interface AttentionFacts {
  readonly servers: readonly ServerStatus[];
  readonly approvals: ApprovalsList;
  readonly gatewayNode: Pick<NodeDoor, "gateway" | "state"> | undefined;
  readonly auditLoss: AuditLoss;
}

export async function readAttention(hub: HubContext): Promise<readonly Attention[]> {
  const { servers, engine } = hub;
  const [gatewayNode, auditLoss] = [engine.gatewayNode, engine.auditLoss()];
  return findAttention({ servers: await servers.list(), approvals: await listApprovals(hub), gatewayNode, auditLoss });
}

/** What waits for the user, the most urgent first. */
export function findAttention({ servers, approvals, gatewayNode, auditLoss }: AttentionFacts): readonly Attention[] {
  return [
    ...waitingAttention(approvals.waiting),
    ...auditAttention(auditLoss),
    ...servers.flatMap(serverAttention),
    ...pairingAttention(gatewayNode),
    ...pinAttention(approvals.changed),
    ...refusedAttention(approvals.refused),
  ];
}

const maxWaiting = 5;

/** One entry for what a caller wants of a tool, however often; those beyond a few are one entry together. */
function waitingAttention(waiting: ApprovalsList["waiting"]): readonly Attention[] {
  const askedBy = ({ client, caller }: (typeof waiting)[number]): string => client ?? caller.token ?? caller.door;
  const groups = [...Map.groupBy(waiting, (call) => `${call.name} wants to run · ${askedBy(call)}`)];
  const entries = groups.slice(0, maxWaiting).map(([text, calls]): Attention => {
    const message = calls.length === 1 ? text : text.replace("wants to run", `wants to run ${calls.length} times`);
    return { kind: "approval", subject: calls[0]!.id, message };
  });
  const rest = groups.slice(maxWaiting).flatMap(([, calls]) => calls);
  if (rest.length === 0) return entries;
  return [
    ...entries,
    { kind: "approval", subject: rest[0]!.id, message: `${countText(rest.length, "more call")} of others wait` },
  ];
}

function auditAttention(loss: AuditLoss): readonly Attention[] {
  const message = auditLossText(loss);
  return message === undefined ? [] : [{ kind: "audit", subject: "audit", message }];
}

const downStates = ["reconnecting", "stopped", "degraded", "unusable", "needs-key", "needs-variable"];

function serverAttention(server: ServerStatus): readonly Attention[] {
  const { name, state, reason, lastError } = server;
  if (state === "needs-sign-in") return [{ kind: "sign-in", subject: name, message: `${name} needs you to sign in` }];
  if (!downStates.includes(state)) return [];
  const { word, remedy } = serverStateRow(state);
  const message = `${name}: ${reason ?? lastError ?? word}`;
  return [{ kind: "server-down", subject: name, message, remedy: remedy?.(server) }];
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
