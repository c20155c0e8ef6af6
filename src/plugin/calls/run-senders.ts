import type { Caller } from "../../catalog/caller.ts";
import type { RunRequester } from "../openclaw-api.ts";

type WhoAsked = Pick<Caller, "sender" | "senders" | "isOwner">;

/**
 * Who asked for a call. OpenClaw says who started a run, but messages of others can join it while it runs, in a group above
 * all. A run into which others may have written has no sender and no owner.
 */
export interface RunSenders {
  /** A message of a chat, before OpenClaw starts a run with it, or adds it to one. */
  noteMessage(sessionKey: string | undefined, channel: string | undefined, senderId: string | undefined): void;
  /** Who started a run, as soon as it is known. */
  noteRun(runId: string | undefined, sessionKey: string | undefined, requester: RunRequester | undefined): void;
  of(runId: string | undefined, sessionKey: string | undefined): WhoAsked;
}

interface Run {
  requester: RunRequester | undefined;
  /** Who wrote in its chat since the run before it began. */
  readonly writers: Set<string>;
}

const maxRuns = 2000;
const maxSessions = 2000;
const maxWriters = 50;
/** More than can go on in one chat at the same time. */
const maxRecent = 8;
const unknown = "unknown";

export function createRunSenders(): RunSenders {
  const runs = new Map<string, Run>();
  /** By session, the writers that count for its latest runs, which may still go on, and for the next one. */
  const sessions = new Map<string, { recent: Set<string>[]; next: Set<string> }>();

  return {
    noteMessage(sessionKey, channel, senderId) {
      if (sessionKey === undefined) return;
      const { recent, next } = sessionOf(sessionKey);
      const writer = senderId === undefined ? unknown : nameOf(channel, senderId);
      // An overflow is told from a run of one person all the same.
      for (const writers of [...recent, next]) if (writers.size < maxWriters) writers.add(writer);
    },
    noteRun(runId, sessionKey, requester) {
      const run = runOf(runId, sessionKey);
      if (run !== undefined) run.requester ??= requester;
    },
    of(runId, sessionKey) {
      const { requester, writers } = runOf(runId, sessionKey) ?? { requester: undefined, writers: new Set() };
      const { channel, senderId, senderIsOwner } = requester ?? {};
      const starter = senderId === undefined ? undefined : nameOf(channel, senderId);
      const others = [...writers].filter((writer) => writer !== starter);
      const isUnmixed = others.length === 0 && (writers.size > 0 || !isGroup(sessionKey));
      if (isUnmixed) return { ...(starter !== undefined && { sender: starter }), isOwner: senderIsOwner === true };
      return { senders: [...(starter === undefined ? [] : [starter]), ...others], isOwner: false };
    },
  };

  function runOf(runId: string | undefined, sessionKey: string | undefined): Run | undefined {
    if (runId === undefined) return undefined;
    const known = runs.get(runId);
    if (known !== undefined) return known;
    const run: Run = { requester: undefined, writers: sessionKey === undefined ? new Set() : begin(sessionKey) };
    if (runs.size >= maxRuns) runs.delete(runs.keys().next().value!);
    runs.set(runId, run);
    return run;
  }

  function begin(sessionKey: string): Set<string> {
    const session = sessionOf(sessionKey);
    const writers = session.next;
    session.recent = [...session.recent, writers].slice(-maxRecent);
    session.next = new Set();
    return writers;
  }

  function sessionOf(sessionKey: string) {
    const known = sessions.get(sessionKey);
    // Those that were used last are kept longest.
    sessions.delete(sessionKey);
    const session = known ?? { recent: [], next: new Set<string>() };
    if (sessions.size >= maxSessions) sessions.delete(sessions.keys().next().value!);
    sessions.set(sessionKey, session);
    return session;
  }
}

function nameOf(channel: string | undefined, senderId: string): string {
  return channel === undefined ? senderId : `${channel}:${senderId}`;
}

/** `agent:main:telegram:group:-1007`. A chat of two has `direct` there, or nothing. */
function isGroup(sessionKey: string | undefined): boolean {
  return /:(?:group|channel|room|thread|topic)(?::|$)/.test(sessionKey ?? "");
}
