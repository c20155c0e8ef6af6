import { isFault, toFault } from "../../../core/fault.ts";
import { createTail, type Tail } from "../../../core/process/tail.ts";
import { createKnownRedactor, type KnownRedactor } from "../../../core/secrets/redact-known.ts";
import { createOutputRedactor } from "../../../core/secrets/redact-output.ts";
import { settledWithin } from "../../../core/wait.ts";
import { type CallOptions, signalOf } from "../../../mcp/client/call-options.ts";
import type { Agreement } from "../../../mcp/client/mcp-client.ts";
import type { Answer, Question } from "../../../mcp/messages/interim-messages.ts";
import type { Params } from "../../../mcp/messages/json-rpc.ts";
import type { ServerDefinition } from "../definition.ts";
import type { ConnectionAuth } from "../oauth/connection-auth.ts";
import { redactFault, serverSecrets } from "../server-secrets.ts";
import type { ConnectionListener, ConnectionState } from "./connection-state.ts";
import type { Link } from "./link.ts";
import { createReconnectingLink, type ReconnectingLinkOptions } from "./reconnecting-link.ts";

export interface ConnectionOptions extends Omit<ReconnectingLinkOptions, "redact" | "stderr" | "admit" | "notify"> {
  /** Awaited before a link is opened: resolves when one more may be open. */
  admit(connection: Connection): Promise<void>;
}

export type ParamsFor = (agreement: Agreement) => Params;

/** One logical connection to one server: it comes up, breaks, and comes up again, until it is stopped. */
export interface Connection {
  readonly definition: ServerDefinition;
  readonly auth: ConnectionAuth | undefined;
  state(): ConnectionState;
  link(): Link | undefined;
  /** Masks the secrets of the server's settings. */
  readonly redact: KnownRedactor;
  /** What the server's process printed last, without secrets. */
  readonly stderr: Tail;
  /** For the user: it may quote what the server printed. */
  readonly lastError: string | undefined;
  lastHeartbeat(): number | undefined;
  usedAt(): number;
  inFlight(): number;
  /** The open link, or a new one. Throws a fault that says why none can be opened. */
  open(signal?: AbortSignal): Promise<Link>;
  /** Like `open`, but waits while the server reconnects, for the first few attempts. */
  openPatiently(signal?: AbortSignal): Promise<Link>;
  /**
   * Sends a caller's request. It waits while the server reconnects, for the first few attempts. What depends on what was
   * agreed with the server is made when that is known.
   */
  request(method: string, params: Params | ParamsFor, options: CallOptions): Promise<Params>;
  /** Counts as a running call until the returned function is called, so that the connection is not closed for others. */
  hold(): () => void;
  /** A stop of the connection waits a moment for this. */
  beforeStop(work: Promise<unknown>): void;
  /** Sends a request of our own: it does not count as use and does not wait for a reconnection. */
  query(method: string, params: Params, options: CallOptions): Promise<Params>;
  listen(listener: ConnectionListener): () => void;
  /** Closes the link but not the connection: the next call opens it again. */
  park(): Promise<void>;
  /** Ends the server's process until the next call, since nothing uses it. */
  sleep(): Promise<void>;
  stop(reason: string): Promise<void>;
}

/** How long a stop waits for what must still reach the server. */
const lastWorkMs = 1000;

export function createConnection(options: ConnectionOptions): Connection {
  const { definition, auth, log, now } = options;
  const secrets = serverSecrets(definition);
  const redact = createKnownRedactor(secrets);
  const stderr = createTail(64 * 1024, createOutputRedactor(secrets));
  const listeners = new Set<ConnectionListener>();
  const link = createReconnectingLink({
    ...options,
    redact,
    stderr,
    ask: answerHeld,
    admit: () => options.admit(connection),
    notify,
  });
  const lastWork = new Set<Promise<unknown>>();
  let usedAt = now();
  let inFlight = 0;

  const connection: Connection = {
    definition,
    auth,
    redact,
    stderr,
    state: link.state,
    link: link.current,
    get lastError() {
      return link.lastError();
    },
    lastHeartbeat: link.lastHeartbeat,
    usedAt: () => usedAt,
    inFlight: () => inFlight,
    open: link.open,
    openPatiently: link.openPatiently,
    async request(method, params, callOptions) {
      let used: Link | undefined;
      begin();
      try {
        used = link.ready() ?? (await link.openPatiently(signalOf(callOptions)));
        const sent = typeof params === "function" ? params(used.agreement) : params;
        const result = await used.request(method, sent, callOptions);
        link.noteAnswer();
        return result;
      } catch (error) {
        if (used !== undefined) link.noteFailure(used, error);
        // Error pages repeat what was sent to them, keys included.
        throw isFault(error) ? redactFault(error, redact) : error;
      } finally {
        end();
      }
    },
    hold,
    beforeStop(work) {
      const done = work.catch(() => {}).finally(() => lastWork.delete(done));
      lastWork.add(done);
    },
    async query(method, params, callOptions) {
      let used: Link | undefined;
      try {
        used = await link.open(signalOf(callOptions));
        const result = await used.request(method, params, callOptions);
        link.noteAnswer();
        return result;
      } catch (error) {
        if (used !== undefined) link.noteFailure(used, error);
        throw redactFault(toFault(error), redact);
      }
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    park: () => link.pause("parked", "The connection was closed to make room for another server."),
    sleep() {
      log.info("the server was not used for a while and is stopped; the next call starts it");
      return link.pause("slept", "The server was stopped because nothing used it.");
    },
    async stop(reason) {
      if (lastWork.size > 0) await settledWithin(Promise.all(lastWork), lastWorkMs);
      await link.stop(reason);
    },
  };
  return connection;

  function hold(): () => void {
    begin();
    return end;
  }

  function begin(): void {
    inFlight++;
    usedAt = now();
  }

  function end(): void {
    usedAt = now();
    if (--inFlight === 0) notify((listener) => listener.onIdle?.());
  }

  /** The server waits for the answer: it must not be closed meanwhile. */
  async function answerHeld(question: Question): Promise<Answer> {
    const release = hold();
    try {
      return await options.ask(question);
    } finally {
      release();
    }
  }

  function notify(call: (listener: ConnectionListener) => void): void {
    for (const listener of listeners) call(listener);
  }
}
