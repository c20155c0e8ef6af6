import { Fault } from "../../core/fault.ts";
import type { JsonRpcId, JsonRpcMessage } from "../messages/json-rpc.ts";

/** What a transport tells the client above it. */
export interface TransportListener {
  /** `relatedTo` is the request on whose stream the message came, where the transport knows. */
  onMessage(message: JsonRpcMessage, relatedTo: JsonRpcId | undefined): void;
  /** The stream that should have brought the answer has ended without it, for good. */
  onLost(id: JsonRpcId, fault: Fault): void;
  /** The connection is over; nothing more will come. */
  onClose(fault: Fault): void;
}

export interface SendOptions {
  /** Ends whatever is under way for the message. Who gives one aborts it before closing the transport. */
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The server asked to be left alone for so long before the message is sent again: no time of silence. */
  onPause?(ms: number): void;
}

/** A way to one server. */
export interface ClientTransport {
  /** Ends with the reason of the signal where that comes first. */
  start(listener: TransportListener, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves when the server has taken the message. Rejects with `unavailable` when it can't have, with
   * `outcome-unknown` when it may have, with `unknown-session` when the server forgot the session.
   */
  send(message: JsonRpcMessage, options?: SendOptions): Promise<void>;
  /** The handshake is over: from now on every request says the version it settled. */
  settle(version: string): void;
  readonly sessionId: string | undefined;
  /** Whether closing a request's stream cancels it there, so that no notice is needed. */
  readonly cancelsByClosing: boolean;
  close(): Promise<void>;
}

/** A transport's refusal with an HTTP status: what tells an older server from a broken one. */
export interface HttpRefusal {
  readonly status: number;
  readonly retryAfterMs?: number | undefined;
}

/** The HTTP status that made a request fail; undefined if no HTTP response did. */
export function httpRefusalIn(error: unknown): HttpRefusal | undefined {
  const detail = error instanceof Fault ? (error.detail as Partial<HttpRefusal> | undefined) : undefined;
  return typeof detail?.status === "number" ? (detail as HttpRefusal) : undefined;
}
