import { Fault } from "../../core/fault.ts";
import type { LazyAbort } from "../../core/lazy-abort.ts";
import type { JsonRpcId, JsonRpcMessage } from "../messages/json-rpc.ts";

/** What a transport reports to its client. */
export interface TransportListener {
  /** `relatedTo` is the request on whose stream the message came, if the transport knows. */
  onMessage(message: JsonRpcMessage, relatedTo: JsonRpcId | undefined): void;
  /** The stream that should have brought the answer to a request has ended without it. */
  onLost(id: JsonRpcId, fault: Fault): void;
  /** The server may have forgotten the session. Asking it anything shows whether it has. */
  onSessionDoubt?(): void;
  /** The connection is closed. */
  onClose(fault: Fault): void;
}

export interface SendOptions {
  /** Stops the work for this message. Abort it before you close the transport. */
  readonly abort?: LazyAbort | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The message will be sent again after this pause, as the server requested. The pause is not silence. */
  onPause?(ms: number): void;
}

/** A connection to one server. */
export interface ClientTransport {
  /** Rejects with the reason of the signal if that is aborted first. */
  start(listener: TransportListener, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves when the server has accepted the message. Rejects with `unavailable` if the server can't have received it,
   * with `outcome-unknown` if it may have, and with `unknown-session` if the server no longer knows the session.
   */
  send(message: JsonRpcMessage, options?: SendOptions): Promise<void>;
  /** Sets the version that the handshake agreed on. Every later request names it. */
  settle(version: string): void;
  readonly sessionId: string | undefined;
  /** Whether closing the stream of a request cancels it, so that no notification is needed. */
  readonly cancelsByClosing: boolean;
  close(): Promise<void>;
}

/** The HTTP status of a refused request. It distinguishes an older server from a broken one. */
export interface HttpRefusal {
  readonly status: number;
  readonly retryAfterMs?: number | undefined;
}

/** The HTTP status that made a request fail; undefined if no HTTP response did. */
export function httpRefusalIn(error: unknown): HttpRefusal | undefined {
  const detail = error instanceof Fault ? (error.detail as Partial<HttpRefusal> | undefined) : undefined;
  return typeof detail?.status === "number" ? (detail as HttpRefusal) : undefined;
}
