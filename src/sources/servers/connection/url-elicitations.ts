import { isRecord } from "../../../core/is-record.ts";
import type { Question } from "../../../mcp/messages/interim-messages.ts";
import { RpcFault, urlElicitationRequired } from "../../../mcp/messages/json-rpc.ts";
import type { Connection } from "./connection.ts";

/**
 * The URLs that a legacy server has asked callers to open (2025-11-25, URL Mode Elicitation). When it reports that a user
 * is done, only the caller that was asked learns of it: other callers share the connection.
 */
export interface UrlElicitations {
  /** Calls the listener once, when the server reports that this elicitation is complete. */
  note(elicitationId: string, onComplete: () => void): void;
  /** Whether a user may be busy at a URL, so that the server must keep running. */
  isAwaited(): boolean;
  close(): void;
}

/** A server need not report the end, so the oldest are forgotten. */
const maxOpen = 1000;

/** After this time no user is expected any more. */
const awaitedMs = 60 * 60 * 1000;

export function createUrlElicitations(
  connection: Pick<Connection, "listen">,
  now: () => number = Date.now,
): UrlElicitations {
  let notedAt = -Infinity;
  const open = new Map<string, Set<() => void>>();
  const stop = connection.listen({
    onElicitationComplete(id) {
      const listeners = open.get(id);
      open.delete(id);
      for (const listener of listeners ?? []) listener();
    },
  });
  return {
    note(id, onComplete) {
      const listeners = open.get(id) ?? new Set();
      open.set(id, listeners.add(onComplete));
      notedAt = now();
      const [oldest] = open.keys();
      if (open.size > maxOpen && oldest !== undefined) open.delete(oldest);
    },
    isAwaited: () => open.size > 0 && now() - notedAt < awaitedMs,
    close: stop,
  };
}

/** A URL that the user must open, as the server names it. */
export interface RequiredUrl {
  readonly elicitationId: string;
  readonly question: Question;
}

/** The URLs in a server's error that says that the user must open them first. Undefined if it is another error. */
export function requiredUrls(error: unknown): readonly RequiredUrl[] | undefined {
  if (!(error instanceof RpcFault) || error.error.code !== urlElicitationRequired) return undefined;
  const { data } = error.error;
  const elicitations: unknown[] = isRecord(data) && Array.isArray(data.elicitations) ? data.elicitations : [];
  const urls = elicitations.flatMap((each) => {
    if (!isRecord(each) || typeof each.url !== "string" || typeof each.elicitationId !== "string") return [];
    const params = { ...each, mode: "url" };
    return [{ elicitationId: each.elicitationId, question: { method: "elicitation/create", params } as const }];
  });
  return urls.length === 0 ? undefined : urls;
}
