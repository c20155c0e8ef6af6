import { setTimeout as sleep } from "node:timers/promises";
import { Fault, toFault } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import { backoffDelays, orAborted } from "../../../core/wait.ts";
import type { HttpRefusal } from "../../../mcp/client/client-transport.ts";
import type { CallOptions } from "../../../mcp/client/mcp-client.ts";
import type { Answer, Question } from "../../../mcp/messages/interim-messages.ts";
import { type Params, RpcFault } from "../../../mcp/messages/json-rpc.ts";
import type { ServerDefinition } from "../definition.ts";
import { type ConnectionAuth, isNewTokenRefused, isSignInNeeded } from "../oauth/connection-auth.ts";
import { createTail, type Tail } from "../stdio/tail.ts";
import {
  type ConnectionEvent,
  type ConnectionListener,
  type ConnectionState,
  isOpen,
  nextState,
  patientAttempts,
} from "./connection-state.ts";
import { createHeartbeat, type Heartbeat } from "./heartbeat.ts";
import { type Link, type LinkMemory, openLink } from "./link.ts";

export interface ConnectionOptions {
  readonly definition: ServerDefinition;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly version: string;
  readonly now: () => number;
  /** Signs in with OAuth where the server asks for it. */
  readonly auth?: ConnectionAuth | undefined;
  /** Questions of the server's that belong to no call. */
  ask(question: Question): Promise<Answer>;
  /** Awaited before a link is opened: resolves when there is a place for one more. */
  admit(connection: Connection): Promise<void>;
  /** Whether there is a place for a connection that comes back though nobody has called it. */
  hasRoom(): boolean;
}

/** One logical connection to one server: it comes up, breaks, and comes up again, until it is stopped. */
export interface Connection {
  readonly definition: ServerDefinition;
  readonly auth: ConnectionAuth | undefined;
  state(): ConnectionState;
  link(): Link | undefined;
  readonly stderr: Tail;
  readonly lastError: string | undefined;
  lastHeartbeat(): number | undefined;
  usedAt(): number;
  inFlight(): number;
  /** The open link, or a new one. Faults with what is wrong where there is none to be had. */
  open(signal?: AbortSignal): Promise<Link>;
  /** Sends a request for somebody. They wait for a server that is coming back, for the first few attempts. */
  request(method: string, params: Params, options: CallOptions): Promise<Params>;
  /** Sends a request of our own: it does not count as use, and nobody waits. */
  query(method: string, params: Params, options: CallOptions): Promise<Params>;
  listen(listener: ConnectionListener): () => void;
  /** Closes the link but not the connection: the next call opens it again. */
  park(): Promise<void>;
  stop(reason: string): Promise<void>;
}

/** A server that has just refused is not asked again for every call that comes in. */
const refusalRestMs = 1000;
/** A link that stood this long was a good one: the waits before the next start from the beginning. */
const stableMs = 60_000;
/** However long a server wants to be left alone, it is looked for again after this. */
const maxRestMs = 600_000;

export function createConnection(options: ConnectionOptions): Connection {
  const { definition, auth, log, now } = options;
  const stderr = createTail(64 * 1024);
  const listeners = new Set<ConnectionListener>();
  const memory: LinkMemory = {};
  const stopping = new AbortController();
  let state: ConnectionState = { kind: "queued" };
  let link: Link | undefined;
  let pulse: Heartbeat | undefined;
  let opening: Promise<Link> | undefined;
  let delays = reconnectDelays();
  let retry: NodeJS.Timeout | undefined;
  let lastError: string | undefined;
  let lastHeartbeat: number | undefined;
  let restUntil = -Infinity;
  let openedAt = 0;
  let usedAt = now();
  let inFlight = 0;
  let isSignInTold = false;

  const connection: Connection = {
    definition,
    auth,
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
        return await send(await openPatiently(callOptions.signal), method, params, callOptions);
      } finally {
        usedAt = now();
        if (--inFlight === 0) each((listener) => listener.onIdle?.());
      }
    },
    query: async (method, params, callOptions) => send(await open(callOptions.signal), method, params, callOptions),
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async park() {
      move({ kind: "parked" });
      await drop(new Fault("cancelled", "The connection was closed, since others are needed more."));
    },
    async stop(reason) {
      move({ kind: "stopped", reason });
      stopping.abort(new Fault("cancelled", reason));
      await opening?.catch(() => {});
      await drop(new Fault("outcome-unknown", `The server was stopped: ${reason}`));
    },
  };
  return connection;

  async function send(used: Link, method: string, params: Params, callOptions: CallOptions): Promise<Params> {
    try {
      const result = await used.request(method, params, callOptions);
      lastHeartbeat = now();
      return result;
    } catch (error) {
      if (used === link) noteFailure(error);
      throw error;
    }
  }

  async function open(signal?: AbortSignal): Promise<Link> {
    await pulse?.certain();
    if (link && isOpen(state)) return link;
    if (state.kind === "stopped") throw new Fault("unavailable", `The server is stopped: ${state.reason}`);
    if (now() < restUntil) throw new Fault("unavailable", `The server can't be reached: ${lastError}`);
    opening ??= connect().finally(() => (opening = undefined));
    return signal ? orAborted(opening, signal) : opening;
  }

  async function openPatiently(signal: AbortSignal | undefined): Promise<Link> {
    for (;;) {
      try {
        return await open(signal);
      } catch (error) {
        const isWorthIt = error instanceof Fault && (error.code === "unavailable" || error.code === "outcome-unknown");
        const wait =
          state.kind === "reconnecting" && state.attempt < patientAttempts ? state.nextAt - now() : undefined;
        if (!isWorthIt || wait === undefined || signal?.aborted) throw error;
        await sleep(Math.max(wait, 0), undefined, signal ? { signal } : {}).catch(() => {});
      }
    }
  }

  async function connect(): Promise<Link> {
    clearTimeout(retry);
    try {
      await orAborted(options.admit(connection), stopping.signal);
      move({ kind: "start" });
      const opened: Link = await openLink({
        definition,
        env: options.env,
        log,
        stderr,
        version: options.version,
        memory,
        authorizer: auth,
        signal: stopping.signal,
        ask: options.ask,
        onListChanged: (change) => each((listener) => listener.onListChanged?.(change)),
        onResourceUpdated: (uri) => each((listener) => listener.onResourceUpdated?.(uri)),
        onLog: (params) => log.info("the server says", { level: params.level, data: params.data }),
        onClose: (closed, fault) => closed === link && lose(fault),
      });
      settle(opened);
      return opened;
    } catch (error) {
      throw noteRefusal(toFault(error));
    }
  }

  function settle(opened: Link): void {
    link = opened;
    openedAt = now();
    isSignInTold = false;
    lastHeartbeat = openedAt;
    pulse = createHeartbeat({
      link: opened,
      everyMs: definition.heartbeatMs,
      timeoutMs: definition.requestTimeoutMs,
      onLook(problem) {
        if (problem === undefined) lastHeartbeat = now();
        move({ kind: "looked", problem });
      },
      onGone(fault) {
        lose(fault);
        void opened.close(fault).catch(() => {});
      },
    });
    move({ kind: "connected", at: openedAt });
    each((listener) => listener.onOpen?.(opened));
  }

  function noteRefusal(fault: Fault): Fault {
    lastError = fault.message;
    if (fault.code === "unauthorized") awaitSignIn(fault);
    else if (state.kind === "connecting") {
      const isTired = state.attempt >= patientAttempts;
      const wanted = (fault.detail as Partial<HttpRefusal> | undefined)?.retryAfterMs ?? 0;
      restUntil = now() + Math.max(isTired ? refusalRestMs : 0, Math.min(wanted, maxRestMs));
      move({ kind: "failed", reason: fault.message, nextAt: comeBack(restUntil) });
    }
    return fault;
  }

  /** The next call tries again, since somebody may have signed in by then; until it works nobody is told twice. */
  function awaitSignIn(fault: Fault): void {
    const told = auth ? "somebody has to sign in" : "the server does not take the key it is shown";
    if (!isSignInTold) log.warn(told, { reason: fault.message });
    isSignInTold = true;
    move({ kind: "refused", reason: fault.message });
  }

  /** A call that failed may show that the link is no more: then the next one opens a new one, without a word. */
  function noteFailure(error: unknown): void {
    if (error instanceof RpcFault || !(error instanceof Fault)) return;
    const isRefusal = (error.detail as Partial<HttpRefusal> | undefined)?.status !== undefined;
    const isGone = error.code === "unknown-session" || isSignInNeeded(error);
    if (isGone || (error.code === "unavailable" && !isRefusal)) lose(error);
    // A call without an answer says little about the others: the server is asked before the next one.
    else if (error.code === "timeout" || (error.code === "outcome-unknown" && !isRefusal) || isNewTokenRefused(error))
      pulse?.doubt();
  }

  /** Leaves the link to the calls that are still under way on it. */
  function lose(fault: Fault): void {
    if (!link) return;
    const lost = link;
    link = undefined;
    pulse?.stop();
    pulse = undefined;
    lastError = fault.message;
    if (now() - openedAt >= stableMs) delays = reconnectDelays();
    if (fault.code === "unauthorized") awaitSignIn(fault);
    else {
      log.info("the connection was lost", { reason: fault.message });
      move({ kind: "lost", reason: fault.message, nextAt: comeBack(-Infinity) });
    }
    lost.retire();
  }

  /** Comes back by itself after the next wait; returns when. A call in the meantime comes back at once. */
  function comeBack(notBefore: number): number {
    clearTimeout(retry);
    const wait = Math.max(delays.next().value, notBefore - now());
    retry = setTimeout(() => {
      if (options.hasRoom()) void open().catch(() => {});
      else move({ kind: "parked" });
    }, wait);
    retry.unref();
    return now() + wait;
  }

  async function drop(fault: Fault): Promise<void> {
    clearTimeout(retry);
    pulse?.stop();
    pulse = undefined;
    const dropped = link;
    link = undefined;
    await dropped?.close(fault);
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

function reconnectDelays() {
  return backoffDelays({ firstMs: 1000, maxMs: 60_000, jitter: 0.3 });
}
