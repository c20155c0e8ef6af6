import { callerName, callerScopeKey } from "../../../catalog/caller.ts";
import { trayAskerId } from "../../../catalog/guard/askers.ts";
import { Fault } from "../../../core/fault.ts";
import { untilAborted } from "../../../core/wait.ts";
import type { ActiveRecording } from "../../../sources/machine/desktop/recordings.ts";
import type { Paused } from "../../state/pause.ts";
import { listApprovals } from "../approvals.ts";
import { type HubContext, perHub } from "../contexts.ts";
import { readAttention } from "./find-attention.ts";

/** What a sign on the desktop shows of a hub or node. */
export interface Presence {
  /** Of this state: who has it waits for the next one. */
  readonly revision: string;
  readonly host: "hub" | "node";
  /** `http://127.0.0.1:8765`; absent if it serves no MCP clients. */
  readonly address?: string | undefined;
  readonly paused?: Paused | undefined;
  /** Calls that wait for approval. */
  readonly waiting: readonly PresentQuestion[];
  /** How many calls run. */
  readonly running: number;
  readonly recordings: readonly ActiveRecording[];
  /** The last calls, latest first. */
  readonly recent: readonly PresentCall[];
  /** What else needs the user: a server that is down, an audit that can't be written. */
  readonly troubles: readonly string[];
  /** Whether the tools of this computer are offered. */
  readonly tools: boolean;
  /** Whether this computer is a node of an OpenClaw gateway. */
  readonly gateway: boolean;
}

export interface PresentQuestion {
  readonly id: string;
  /** The name in the catalog. */
  readonly tool: string;
  /** The source's own name for it. */
  readonly own: string;
  readonly source: string;
  readonly caller: string;
  /** Tells callers apart, whatever they call themselves. */
  readonly callerKey: string;
}

export interface PresentCall {
  readonly tool: string;
  readonly caller: string;
  readonly outcome: string;
  readonly at: string;
}

export interface PresenceReader {
  /** Answers at once, or with the next change if this revision is the present one. */
  read(query: PresenceQuery, signal?: AbortSignal): Promise<Presence>;
}

export interface PresenceQuery {
  readonly after?: string | undefined;
  /** Whether who waits shows questions to a person: then the guard counts on that. */
  readonly asks?: boolean | undefined;
}

const maxRecent = 5;
/** What comes in a burst is answered together: calls can come by the thousand. */
const settleMs = 100;
/** A tray asks again within this time; in between it counts as there. */
const graceMs = 5000;

const readers = perHub((hub) => Promise.resolve(createPresence(hub)));

export const openPresence = (hub: HubContext): Promise<PresenceReader> => readers.of(hub);

/** Nothing is read, and no timer runs, while nobody waits or nothing changes. */
function createPresence(hub: HubContext): PresenceReader {
  const { engine } = hub;
  const recent: PresentCall[] = [];
  const waiters = new Set<() => void>();
  let revision = engine.startedAt.getTime();
  let settling: NodeJS.Timeout | undefined;
  let asking = 0;
  let askedAt = -Infinity;
  let isClosed = false;

  function tell(): void {
    revision++;
    if (waiters.size === 0) return;
    settling ??= setTimeout(() => {
      settling = undefined;
      for (const wake of waiters) wake();
    }, settleMs).unref();
  }

  const stops = [
    engine.onCall(({ at, tool, caller, outcome }) => {
      recent.unshift({ tool, caller: callerName(caller), outcome, at: new Date(at).toISOString() });
      recent.splice(maxRecent);
      tell();
    }),
    engine.onBegin(tell),
    engine.onRecording(tell),
    engine.pause.onChange(tell),
    engine.approvals.onChange(tell, "here"),
    engine.catalog.onChange(tell),
    // The question itself is in the list of what waits; the answer comes through `approvals.approve`.
    engine.askers.add({
      id: trayAskerId,
      kind: "desktop",
      available: () => asking > 0 || Date.now() - askedAt < graceMs,
      ask: (_, signal) => untilAborted(signal).then(() => undefined),
    }),
  ];
  engine.closers.add("presence", () => {
    isClosed = true;
    for (const stop of stops) stop();
    clearTimeout(settling);
    for (const wake of waiters) wake();
  });

  /** Resolves with the next change, or when the one who waits is gone. */
  function untilNews(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        waiters.delete(wake);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      waiters.add(wake);
      signal?.addEventListener("abort", wake, { once: true });
      if (signal?.aborted) wake();
    });
  }

  async function readNow(): Promise<Presence> {
    // Taken first: what changes meanwhile is another revision.
    const now = String(revision);
    const { waiting } = await listApprovals(hub);
    const attention = await readAttention(hub);
    const { pause, machine, http, isNode } = engine;
    return {
      revision: now,
      host: isNode ? "node" : "hub",
      ...(http && { address: http.address }),
      paused: pause.state(),
      waiting: waiting.map(({ id, name, tool, source, caller, client }) => ({
        id,
        tool: name,
        own: tool,
        source,
        caller: callerName({ ...caller, client }),
        callerKey: callerScopeKey(caller),
      })),
      running: engine.running(),
      recordings: machine?.recordings.list() ?? [],
      recent: [...recent],
      troubles: attention.filter(({ kind }) => isTrouble(kind)).map(({ message }) => message),
      tools: machine !== undefined,
      gateway: engine.gatewayNode !== undefined,
    };
  }

  return {
    async read({ after, asks = false }, signal) {
      if (asks) asking++;
      try {
        if (after === String(revision) && !isClosed) await untilNews(signal);
      } finally {
        if (asks) asking--;
        // One that has gone away asks nobody.
        if (asks && signal?.aborted !== true) askedAt = Date.now();
      }
      if (isClosed) throw new Fault("unavailable", "The hub is stopping.");
      return readNow();
    },
  };
}

/** Questions have their own place; refused calls are over. */
const isTrouble = (kind: string): boolean => kind !== "approval" && kind !== "refused";
