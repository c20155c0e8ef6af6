import { backoffDelays } from "../../core/backoff.ts";
import { Fault, toFault } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import type { CallOptions } from "../../mcp/client/client.ts";
import type { Params } from "../../mcp/json-rpc.ts";
import type { OfferChange } from "../../mcp/offer.ts";
import type { Answer, Question } from "../../mcp/question.ts";
import { type ConnectionState, isOpen, nextState, patientAttempts } from "./connection-state.ts";
import type { ConnectionEvent } from "./connection-state.ts";
import type { ServerDefinition } from "./definition.ts";
import { type Link, type LinkMemory, openLink } from "./link.ts";
import { createTail, type Tail } from "./tail.ts";

export interface ConnectionOptions {
  readonly definition: ServerDefinition;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly version: string;
  readonly now: () => number;
  /** Questions of the server's that belong to no call. */
  ask(question: Question): Promise<Answer>;
}

/** What whoever holds a connection is told about it. */
export interface ConnectionListener {
  /** A new link is there: lists may have changed, watches have to be set again. */
  onOpen?(link: Link): void;
  onState?(state: ConnectionState): void;
  onListChanged?(change: OfferChange): void;
  onResourceUpdated?(uri: string): void;
}

/** One logical connection to one server: it comes up, breaks, and comes up again, until it is stopped. */
export interface Connection {
  readonly definition: ServerDefinition;
  state(): ConnectionState;
  link(): Link | undefined;
  readonly stderr: Tail;
  readonly lastError: string | undefined;
  lastHeartbeat(): number | undefined;
  usedAt(): number;
  inFlight(): number;
  /** The open link, or a new one. Faults with what is wrong where there is none to be had. */
  open(signal?: AbortSignal): Promise<Link>;
  request(method: string, params: Params, options: CallOptions): Promise<Params>;
  listen(listener: ConnectionListener): () => void;
  /** Closes the link but not the connection: the next call opens it again. */
  park(): Promise<void>;
  stop(reason: string): Promise<void>;
}

/** A server that has just refused is not asked again for every call that comes in. */
const restMs = 1000;

export function createConnection(options: ConnectionOptions): Connection {
  const { definition, log, now } = options;
  const stderr = createTail(64 * 1024);
  const listeners = new Set<ConnectionListener>();
  const memory: LinkMemory = {};
  const stopping = new AbortController();
  let state: ConnectionState = { kind: "queued" };
  let link: Link | undefined;
  let opening: Promise<Link> | undefined;
  let delays = freshDelays();
  let retry: NodeJS.Timeout | undefined;
  let heart: NodeJS.Timeout | undefined;
  let lastError: string | undefined;
  let lastHeartbeat: number | undefined;
  let failedAt = -Infinity;
  let usedAt = now();
  let inFlight = 0;

  return {
    definition,
    stderr,
    state: () => state,
    link: () => link,
    get lastError() {
      return lastError;
    },
    lastHeartbeat: () => lastHeartbeat,
    usedAt: () => usedAt,
    inFlight: () => inFlight,
    open,
    async request(method, params, callOptions) {
      inFlight++;
      usedAt = now();
      try {
        const result = await (await open(callOptions.signal)).request(method, params, callOptions);
        lastHeartbeat = now();
        return result;
      } catch (error) {
        noteFailure(toFault(error));
        throw error;
      } finally {
        inFlight--;
        usedAt = now();
      }
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async park() {
      move({ kind: "parked" });
      await drop();
    },
    async stop(reason) {
      move({ kind: "stopped", reason });
      stopping.abort(new Fault("cancelled", reason));
      await opening?.catch(() => {});
      await drop();
    },
  };

  async function open(signal?: AbortSignal): Promise<Link> {
    if (link && isOpen(state)) return link;
    if (state.kind === "stopped")
      throw new Fault("unavailable", `The server ${definition.name} is stopped: ${state.reason}`);
    const isTired = state.kind === "reconnecting" && state.attempt >= patientAttempts && now() - failedAt < restMs;
    if (isTired) throw new Fault("unavailable", `The server ${definition.name} can't be reached: ${lastError}`);
    opening ??= connect().finally(() => (opening = undefined));
    return signal ? orAborted(opening, signal) : opening;
  }

  async function connect(): Promise<Link> {
    clearTimeout(retry);
    move({ kind: "start" });
    // Read by `onClose`, which may come before there is a link.
    let opened: Link | undefined;
    try {
      const fresh = await openLink({
        definition,
        env: options.env,
        log,
        stderr,
        version: options.version,
        memory,
        signal: stopping.signal,
        ask: options.ask,
        onListChanged: (change) => each((listener) => listener.onListChanged?.(change)),
        onResourceUpdated: (uri) => each((listener) => listener.onResourceUpdated?.(uri)),
        onLog: (params) => log.info("the server says", { level: params.level, data: params.data }),
        onClose: (fault) => {
          if (opened !== undefined && link === opened) lose(fault);
        },
      });
      opened = fresh;
      link = fresh;
      delays = freshDelays();
      lastHeartbeat = now();
      move({ kind: "connected", at: now() });
      beat();
      each((listener) => listener.onOpen?.(fresh));
      return fresh;
    } catch (error) {
      const fault = toFault(error);
      lastError = fault.message;
      failedAt = now();
      if (fault.code === "unauthorized") move({ kind: "refused", reason: fault.message });
      else if (!stopping.signal.aborted) move({ kind: "failed", reason: fault.message, nextAt: comeBack() });
      throw fault;
    }
  }

  /** A call that failed may show that the link is no more: then the next one opens a new one, without a word. */
  function noteFailure(fault: Fault): void {
    if (fault.code === "cancelled" || fault.code === "timeout") return;
    const isGone = fault.code === "unknown-session" || fault.code === "outcome-unknown" || fault.code === "unavailable";
    const isAnswer = "error" in fault || (fault.detail as { status?: number } | undefined)?.status !== undefined;
    if (isGone && link && (fault.code === "unknown-session" || !isAnswer)) lose(fault);
  }

  function lose(fault: Fault): void {
    if (!link) return;
    const lost = link;
    link = undefined;
    clearTimeout(heart);
    lastError = fault.message;
    log.info("the connection was lost", { reason: fault.message });
    move({ kind: "lost", reason: fault.message, nextAt: comeBack() });
    void lost.close().catch(() => {});
  }

  /** Comes back by itself after the next wait; returns when. A call in the meantime comes back at once. */
  function comeBack(): number {
    clearTimeout(retry);
    const wait = delays.next().value;
    retry = setTimeout(() => void open().catch(() => {}), wait);
    retry.unref();
    return now() + wait;
  }

  async function drop(): Promise<void> {
    clearTimeout(retry);
    clearTimeout(heart);
    const dropped = link;
    link = undefined;
    await dropped?.close();
  }

  function beat(): void {
    clearTimeout(heart);
    if (definition.heartbeatMs === 0) return;
    heart = setTimeout(() => void look(), definition.heartbeatMs);
    heart.unref();
  }

  /** A server that answers anything at all is alive; one that fails twice in a row is given up. */
  async function look(): Promise<void> {
    const looked = link;
    if (!looked) return;
    const method = looked.agreement.era === "modern" ? "server/discover" : "ping";
    try {
      await looked.request(method, {}, { timeoutMs: definition.requestTimeoutMs });
      lastHeartbeat = now();
      move({ kind: "looked", problem: undefined });
    } catch (error) {
      const fault = toFault(error);
      if ("error" in fault) lastHeartbeat = now();
      else if (state.kind === "degraded") return lose(fault);
      else move({ kind: "looked", problem: fault.message });
    }
    if (link === looked) beat();
  }

  function move(event: ConnectionEvent): void {
    const next = nextState(state, event);
    if (next === state) return;
    state = next;
    each((listener) => listener.onState?.(state));
  }

  function each(tell: (listener: ConnectionListener) => void): void {
    for (const listener of listeners) tell(listener);
  }
}

function freshDelays() {
  return backoffDelays({ firstMs: 1000, maxMs: 60_000, jitter: 0.3 });
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
