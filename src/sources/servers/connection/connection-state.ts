import type { OfferChange } from "../../../mcp/server/offer.ts";
import type { Link } from "./link.ts";

/** Where a connection to a server stands. Plain data: what is shown, and what decides the next step. */
export type ConnectionState =
  /** Waits for its turn: more servers are configured than may be connected at once, or nobody has called it yet. */
  | { readonly kind: "queued" }
  | { readonly kind: "connecting"; readonly attempt: number }
  | { readonly kind: "ready"; readonly since: number }
  /** Connected, but the last look at it failed. */
  | { readonly kind: "degraded"; readonly since: number; readonly reason: string }
  | { readonly kind: "reconnecting"; readonly attempt: number; readonly nextAt: number; readonly reason: string }
  | { readonly kind: "needs-sign-in"; readonly reason: string }
  | { readonly kind: "stopped"; readonly reason: string };

export type ConnectionEvent =
  | { readonly kind: "start" }
  | { readonly kind: "connected"; readonly at: number }
  | { readonly kind: "failed"; readonly reason: string; readonly nextAt: number }
  | { readonly kind: "lost"; readonly reason: string; readonly nextAt: number }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "looked"; readonly problem: string | undefined }
  | { readonly kind: "parked" }
  | { readonly kind: "stopped"; readonly reason: string };

/** After how many attempts in a row a caller is told instead of kept waiting. */
export const patientAttempts = 3;

/** What comes after an event. Events that make no sense in a state leave it as it is; `stopped` is for good. */
export function nextState(state: ConnectionState, event: ConnectionEvent): ConnectionState {
  if (state.kind === "stopped") return state;
  switch (event.kind) {
    case "start":
      return isOpen(state) ? state : { kind: "connecting", attempt: attemptOf(state) + 1 };
    case "connected":
      return state.kind === "connecting" ? { kind: "ready", since: event.at } : state;
    case "failed":
      if (state.kind !== "connecting") return state;
      return { kind: "reconnecting", attempt: state.attempt, nextAt: event.nextAt, reason: event.reason };
    case "lost":
      if (!isOpen(state)) return state;
      return { kind: "reconnecting", attempt: 0, nextAt: event.nextAt, reason: event.reason };
    case "refused":
      return { kind: "needs-sign-in", reason: event.reason };
    case "looked":
      if (!isOpen(state)) return state;
      if (event.problem !== undefined) return { kind: "degraded", since: state.since, reason: event.problem };
      return state.kind === "ready" ? state : { kind: "ready", since: state.since };
    case "parked":
      return { kind: "queued" };
    case "stopped":
      return { kind: "stopped", reason: event.reason };
  }
}

export function isOpen(state: ConnectionState): state is Extract<ConnectionState, { since: number }> {
  return state.kind === "ready" || state.kind === "degraded";
}

/** Whether it counts as one of those that may be connected at once. */
export function occupiesSlot(state: ConnectionState): boolean {
  return state.kind === "connecting" || isOpen(state);
}

function attemptOf(state: ConnectionState): number {
  return state.kind === "reconnecting" || state.kind === "connecting" ? state.attempt : 0;
}

/** What whoever holds a connection is told about it. */
export interface ConnectionListener {
  /** A new link is there: lists may have changed, watches have to be set again. */
  onOpen?(link: Link): void;
  onState?(state: ConnectionState): void;
  /** The last call that was under way has ended. */
  onIdle?(): void;
  onListChanged?(change: OfferChange): void;
  onResourceUpdated?(uri: string): void;
}
