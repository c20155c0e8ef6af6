import { Fault, toFault } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import type { Cage } from "../../../core/process/cage/cage.ts";
import type { Env } from "../../../core/process/child-env.ts";
import type { Tail } from "../../../core/process/tail.ts";
import type { KnownRedactor } from "../../../core/secrets/redact-known.ts";
import { backoffDelays, orAborted, sleep } from "../../../core/wait.ts";
import type { ClientTransport } from "../../../mcp/client/client-transport.ts";
import type { Answer, Question } from "../../../mcp/messages/interim-messages.ts";
import type { Era } from "../../../mcp/messages/protocol-version.ts";
import type { ServerDefinition } from "../definition.ts";
import { logServerLine } from "../server-log.ts";
import { type ConnectionAuth, isApiKeyNeeded, isSignInLost } from "../oauth/connection-auth.ts";
import { redactFault } from "../server-secrets.ts";
import { messageForUser } from "../stdio/server-exit.ts";
import {
  type ConnectionEvent,
  type ConnectionListener,
  type ConnectionState,
  isOpen,
  nextState,
} from "./connection-state.ts";
import { createHeartbeat, type Heartbeat } from "./heartbeat.ts";
import { judgeLinkFailure, patientAttempts, restAfter } from "./judge-retry.ts";
import type { Link, DetectedProtocol } from "./link.ts";

export interface ReconnectingLinkOptions {
  readonly definition: ServerDefinition;
  readonly env: Env;
  readonly log: Log;
  readonly version: string;
  readonly now: () => number;
  /** Used in place of starting a stdio server. */
  readonly openTransport?: (() => ClientTransport) | undefined;
  /** Signs in with OAuth if the server asks for it. */
  readonly auth?: ConnectionAuth | undefined;
  /** The era of an earlier process. */
  readonly era?: Era | undefined;
  /** What the server offers is known, so it need not be connected before the first call. */
  readonly isAsleep?: boolean | undefined;
  readonly redact: KnownRedactor;
  readonly stderr: Tail;
  /** Awaited before each attempt to connect. Faults if the server may not be started as it is now; else the cage for it. */
  prepareStart?(): Promise<Cage | undefined>;
  /** Answers questions of the server that belong to no call. */
  ask(question: Question): Promise<Answer>;
  /** Awaited before a link is opened: resolves when one more may be open. */
  admit(): Promise<void>;
  /** Whether a connection that no call needs right now may reconnect. */
  hasRoom(): boolean;
  notify(call: (listener: ConnectionListener) => void): void;
}

/** The link of a connection: opened when it is needed, watched while it is open, and opened again after it was lost. */
export interface ReconnectingLink {
  state(): ConnectionState;
  current(): Link | undefined;
  /** The link, if a call can be sent over it at once. */
  ready(): Link | undefined;
  /** For the user: it may quote what the server printed. */
  lastError(): string | undefined;
  /** When the server last answered. */
  lastHeartbeat(): number | undefined;
  /** The open link, or a new one. Throws a fault that says why none can be opened. */
  open(signal?: AbortSignal): Promise<Link>;
  /** Like `open`, but waits while the server reconnects, for the first few attempts. */
  openPatiently(signal?: AbortSignal): Promise<Link>;
  /** A request was answered. */
  noteAnswer(): void;
  /** A request over this link failed, which may mean that the link is lost. */
  noteFailure(used: Link, error: unknown): void;
  /** Closes the link until the next `open`. */
  pause(kind: "parked" | "slept", reason: string): Promise<void>;
  /** Closes the link for good. */
  stop(reason: string): Promise<void>;
}

/** After a link that was open for this long, the delays before reconnecting start from the shortest again. */
const stableMs = 60_000;

export function createReconnectingLink(options: ReconnectingLinkOptions): ReconnectingLink {
  const { definition, auth, log, now, redact, notify } = options;
  const memory: DetectedProtocol = { era: options.era };
  const stopping = new AbortController();
  let state: ConnectionState = { kind: options.isAsleep === true ? "sleeping" : "queued" };
  let link: Link | undefined;
  let heartbeat: Heartbeat | undefined;
  let opening: Promise<Link> | undefined;
  /** The end of a link that was closed for now. */
  let closing: Promise<void> | undefined;
  let delays = reconnectDelays();
  let retryTimer: NodeJS.Timeout | undefined;
  let lastFault: Fault | undefined;
  let lastHeartbeat: number | undefined;
  let restUntil = -Infinity;
  let openedAt = 0;
  let isSignInReported = false;

  return {
    state: () => state,
    current: () => link,
    ready: () => (heartbeat?.checked() === undefined && isOpen(state) ? link : undefined),
    lastError: () => lastFault && messageForUser(lastFault),
    lastHeartbeat: () => lastHeartbeat,
    open,
    openPatiently,
    noteAnswer() {
      lastHeartbeat = now();
    },
    noteFailure,
    async pause(kind, reason) {
      transition({ kind });
      await part(new Fault("cancelled", reason));
    },
    async stop(reason) {
      transition({ kind: "stopped", reason });
      stopping.abort(new Fault("cancelled", reason));
      await opening?.catch(() => {});
      await closing;
      await closeLink(new Fault("outcome-unknown", `The server was stopped: ${reason}`));
    },
  };

  async function open(signal?: AbortSignal): Promise<Link> {
    await heartbeat?.checked();
    if (link && isOpen(state)) return link;
    if (state.kind === "stopped") throw new Fault("unavailable", `The server is stopped: ${state.reason}`);
    if (now() < restUntil && lastFault)
      throw new Fault("unavailable", `The server can't be reached: ${lastFault.message}`, { cause: lastFault });
    opening ??= connect().finally(() => (opening = undefined));
    return signal ? orAborted(opening, signal) : opening;
  }

  async function openPatiently(signal?: AbortSignal): Promise<Link> {
    for (;;) {
      try {
        return await open(signal);
      } catch (error) {
        const mayRecover = error instanceof Fault && (error.code === "unavailable" || error.code === "outcome-unknown");
        const wait =
          state.kind === "reconnecting" && state.attempt < patientAttempts ? state.nextAt - now() : undefined;
        if (!mayRecover || wait === undefined || signal?.aborted) throw error;
        await sleep(Math.max(wait, 0), signal).catch(() => {});
      }
    }
  }

  async function connect(): Promise<Link> {
    clearTimeout(retryTimer);
    try {
      // Two processes of one server could be in each other's way.
      await closing;
      await orAborted(options.admit(), stopping.signal);
      transition({ kind: "start" });
      // Loaded now: a process whose servers all sleep does not need the transports.
      const [{ openLink }, cage] = await Promise.all([import("./link.ts"), options.prepareStart?.()]);
      const opened: Link = await openLink({
        definition,
        openTransport: options.openTransport,
        cage,
        env: options.env,
        log,
        stderr: options.stderr,
        version: options.version,
        memory,
        authorizer: auth,
        signal: stopping.signal,
        ask: options.ask,
        onListChanged: (change) => notify((listener) => listener.onListChanged?.(change)),
        onResourceUpdated: (uri) => notify((listener) => listener.onResourceUpdated?.(uri)),
        onElicitationComplete: (id) => notify((listener) => listener.onElicitationComplete?.(id)),
        onTaskStatus: (params) => notify((listener) => listener.onTaskStatus?.(params)),
        onLog: (line) => logServerLine(log, line),
        onSessionDoubt: () => heartbeat?.check(),
        onClose: (closed, fault) => closed === link && loseLink(fault),
      });
      useLink(opened);
      return opened;
    } catch (error) {
      throw noteFailedAttempt(redactFault(toFault(error), redact));
    }
  }

  function useLink(opened: Link): void {
    link = opened;
    openedAt = now();
    isSignInReported = false;
    lastHeartbeat = openedAt;
    heartbeat = createHeartbeat({
      link: opened,
      intervalMs: definition.heartbeatMs,
      timeoutMs: definition.requestTimeoutMs,
      onBeat(problem) {
        if (problem === undefined) lastHeartbeat = now();
        transition({ kind: "checked", problem });
      },
      onGone(fault) {
        loseLink(fault);
        // The fault is about the heartbeat. The calls still running may have run, so they must not seem safe to repeat;
        // a server that only forgot the session may still answer them.
        if (fault.code === "unknown-session") return;
        const unanswered = new Fault("outcome-unknown", fault.message, { cause: fault });
        void opened.close(unanswered).catch(() => {});
      },
    });
    transition({ kind: "connected", at: openedAt });
    notify((listener) => listener.onOpen?.(opened));
  }

  function noteFailedAttempt(fault: Fault): Fault {
    lastFault = fault;
    if (fault.code === "unauthorized") awaitSignIn(fault);
    else if (state.kind === "connecting") {
      restUntil = now() + restAfter(fault, state.attempt);
      transition({ kind: "failed", reason: messageForUser(fault), nextAt: scheduleReconnect(restUntil) });
    }
    return fault;
  }

  /** The next call tries again, since the user may have signed in by then. Reported once until it works. */
  function awaitSignIn(fault: Fault): void {
    const needs = auth && !isApiKeyNeeded(fault) ? "sign-in" : "key";
    const message = needs === "sign-in" ? "the server needs you to sign in" : "the server requires a valid API key";
    const isNew = !isSignInReported;
    if (isNew) log.warn(message, { reason: fault.message });
    isSignInReported = true;
    transition({ kind: "refused", needs, reason: fault.message });
    if (isNew && isSignInLost(fault)) notify((listener) => listener.onSignInLost?.());
  }

  function noteFailure(used: Link, error: unknown): void {
    if (used !== link) return;
    const verdict = judgeLinkFailure(error);
    if (verdict === "lost") loseLink(toFault(error));
    // Asked before the next call is sent.
    else if (verdict === "doubtful") heartbeat?.check();
  }

  /** The calls still running on the link may finish; the next call opens a new one. */
  function loseLink(cause: Fault): void {
    if (!link) return;
    const fault = redactFault(cause, redact);
    const lost = link;
    link = undefined;
    heartbeat?.stop();
    heartbeat = undefined;
    lastFault = fault;
    if (now() - openedAt >= stableMs) delays = reconnectDelays();
    if (fault.code === "unauthorized") awaitSignIn(fault);
    else {
      const reason = messageForUser(fault);
      log.info("the connection was lost", { reason });
      transition({ kind: "lost", reason, nextAt: scheduleReconnect(-Infinity) });
    }
    lost.retire();
  }

  /** Reconnects after the next delay and returns when that is. A call before then reconnects at once. */
  function scheduleReconnect(notBefore: number): number {
    clearTimeout(retryTimer);
    const wait = Math.max(delays.next().value, notBefore - now());
    retryTimer = setTimeout(() => {
      if (options.hasRoom()) void open().catch(() => {});
      else transition({ kind: "parked" });
    }, wait);
    retryTimer.unref();
    return now() + wait;
  }

  function part(fault: Fault): Promise<void> {
    const closed = closeLink(fault)
      .catch((error: unknown) => log.debug("the connection could not be closed", { error }))
      .finally(() => closing === closed && (closing = undefined));
    return (closing = closed);
  }

  async function closeLink(fault: Fault): Promise<void> {
    clearTimeout(retryTimer);
    heartbeat?.stop();
    heartbeat = undefined;
    const dropped = link;
    link = undefined;
    await dropped?.close(fault);
  }

  function transition(event: ConnectionEvent): void {
    const next = nextState(state, event);
    if (next === state) return;
    state = next;
    notify((listener) => listener.onState?.(state));
  }
}

/** From one second to one minute. */
export function reconnectDelays() {
  return backoffDelays({ firstMs: 1000, maxMs: 60_000, jitter: 0.3 });
}
