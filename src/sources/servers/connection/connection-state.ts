import type { Params } from "../../../mcp/messages/json-rpc.ts";
import type { OfferChange } from "../../../mcp/server/offer.ts";
import type { Link } from "./link.ts";

/** The state of a connection. Plain data: it is shown to people, and decides the next step. */
export type ConnectionState =
  /** Waits for its turn: more servers are configured than may be connected at once, or no call has needed it yet. */
  | { readonly kind: "queued" }
  /** Its process is not running: the next call starts it. */
  | { readonly kind: "sleeping" }
  | { readonly kind: "connecting"; readonly attempt: number }
  | { readonly kind: "ready"; readonly since: number }
  /** Connected, but it did not answer the last heartbeat. */
  | { readonly kind: "degraded"; readonly since: number; readonly reason: string }
  | { readonly kind: "reconnecting"; readonly attempt: number; readonly nextAt: number; readonly reason: string }
  | { readonly kind: "needs-sign-in" | "needs-key"; readonly reason: string }
  | { readonly kind: "stopped"; readonly reason: string };

export type ConnectionEvent =
  | { readonly kind: "start" }
  | { readonly kind: "connected"; readonly at: number }
  | { readonly kind: "failed"; readonly reason: string; readonly nextAt: number }
  | { readonly kind: "lost"; readonly reason: string; readonly nextAt: number }
  /** The server wants to know who calls; `needs` says what helps. */
  | { readonly kind: "refused"; readonly needs: "sign-in" | "key"; readonly reason: string }
  | { readonly kind: "checked"; readonly problem: string | undefined }
  | { readonly kind: "parked" }
  | { readonly kind: "slept" }
  | { readonly kind: "stopped"; readonly reason: string };

/** The state after an event. An event that makes no sense in a state leaves it as it is; `stopped` is final. */
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
      return { kind: `needs-${event.needs}`, reason: event.reason };
    case "checked":
      if (!isOpen(state)) return state;
      if (event.problem !== undefined) return { kind: "degraded", since: state.since, reason: event.problem };
      return state.kind === "ready" ? state : { kind: "ready", since: state.since };
    case "parked":
      return { kind: "queued" };
    case "slept":
      return { kind: "sleeping" };
    case "stopped":
      return { kind: "stopped", reason: event.reason };
  }
}

export function isOpen(state: ConnectionState): state is Extract<ConnectionState, { since: number }> {
  return state.kind === "ready" || state.kind === "degraded";
}

/** Whether it counts towards the limit of concurrent connections. */
export function occupiesSlot(state: ConnectionState): boolean {
  return state.kind === "connecting" || isOpen(state);
}

function attemptOf(state: ConnectionState): number {
  return state.kind === "reconnecting" || state.kind === "connecting" ? state.attempt : 0;
}

/** Called by a connection when something happens to it. */
export interface ConnectionListener {
  /** A new link is open: lists may have changed, and subscriptions have to be made again. */
  onOpen?(link: Link): void;
  onState?(state: ConnectionState): void;
  /** The last running call has ended. */
  onIdle?(): void;
  onListChanged?(change: OfferChange): void;
  onResourceUpdated?(uri: string): void;
  /** The user has done what a URL asked for. Only legacy servers say so. */
  onElicitationComplete?(elicitationId: string): void;
  /** The user had signed in, and has to do so again. Called once until the server can be used again. */
  onSignInLost?(): void;
  /** A task has changed. Only legacy servers say so, and need not. */
  onTaskStatus?(params: Params): void;
}
