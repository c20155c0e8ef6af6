import { isDeepStrictEqual } from "node:util";
import { isFault } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import { RpcFault } from "../../../mcp/messages/json-rpc.ts";
import { judgeHeaderMarks } from "../../../mcp/messages/mirrored-headers.ts";
import type { Tool } from "../../../mcp/messages/tool.ts";
import type { Connection } from "../connection/connection.ts";
import { judgeRetry } from "../connection/judge-retry.ts";
import { fetchLists, noLists, type ServerLists } from "./fetch-lists.ts";

/** A server's lists, kept fresh: after connecting, when the server says they changed, and every so often. */
export interface ListCache {
  current(): ServerLists;
  /** Fetches them now. One fetch at a time; whoever asks meanwhile gets the one after. */
  refresh(): Promise<ServerLists>;
  /** Something hints that they may be old: looks, unless it has looked just now. */
  doubt(): void;
  close(): void;
}

export interface ListCacheOptions {
  readonly connection: Connection;
  readonly log: Log;
  readonly intervalMs: number;
  readonly now: () => number;
  onChange(): void;
}

/** A server whose lists change all the time is asked no more often than this. */
const minRefetchMs = 250;
/** Lists that are no older than this are not doubted. */
const freshMs = 10_000;

export function createListCache({ connection, log, intervalMs, now, onChange }: ListCacheOptions): ListCache {
  const closing = new AbortController();
  /** As the server says it, and as much of it as can be used. */
  let said = noLists;
  let lists = noLists;
  let fetching: Promise<ServerLists> | undefined;
  let next: Promise<ServerLists> | undefined;
  let isRead = false;
  let isAsking = false;
  let fetchedAt = -Infinity;
  let soon: NodeJS.Timeout | undefined;
  // A server that is parked is left alone, unless it is not even known what it has.
  const look = () => (connection.link() || !isRead) && quietly(refresh());
  const every = intervalMs > 0 ? setInterval(look, intervalMs).unref() : undefined;
  const stop = connection.listen({ onOpen: () => quietly(refresh()), onListChanged: refreshSoon });

  return {
    current: () => lists,
    refresh,
    doubt() {
      if (now() - fetchedAt > freshMs) quietly(refresh());
    },
    close() {
      stop();
      clearInterval(every);
      clearTimeout(soon);
      closing.abort();
    },
  };

  function refresh(): Promise<ServerLists> {
    if (!fetching) return (fetching = fetchSafely().finally(() => (fetching = undefined)));
    // Nothing was asked yet, so that the answer will be as new as can be.
    if (!isAsking) return fetching;
    // What is being fetched may already be old: one more fetch, for everybody who asks meanwhile.
    return (next ??= fetching
      .catch(() => {})
      .then(() => {
        next = undefined;
        return refresh();
      }));
  }

  /** Reading is harmless, so that what was cut is read again. */
  async function fetchSafely(): Promise<ServerLists> {
    try {
      return await fetch();
    } catch (error) {
      if (closing.signal.aborted || error instanceof RpcFault || !isAsking) throw error;
      if (judgeRetry(error, { readOnlyHint: true }) !== "repeat") throw error;
      return fetch();
    }
  }

  async function fetch(): Promise<ServerLists> {
    isAsking = false;
    const { definition } = connection;
    const { agreement } = await connection.open(closing.signal);
    isAsking = true;
    const options = { timeoutMs: definition.requestTimeoutMs, signal: closing.signal };
    const found = await fetchLists(
      (method, params) => connection.query(method, params, options),
      agreement.capabilities,
    );
    isRead = true;
    fetchedAt = now();
    if (isDeepStrictEqual(found, said)) return lists;
    said = found;
    const hasHeaders = agreement.era === "modern" && definition.transport.kind === "http";
    lists = hasHeaders ? { ...found, tools: found.tools.filter(isSendable) } : found;
    onChange();
    return lists;
  }

  function isSendable({ name, inputSchema }: Tool): boolean {
    const problem = judgeHeaderMarks(inputSchema);
    if (problem !== undefined) log.warn("a tool can't be called and is left out", { tool: name, problem });
    return problem === undefined;
  }

  function refreshSoon(): void {
    soon ??= setTimeout(() => {
      soon = undefined;
      quietly(refresh());
    }, minRefetchMs);
    soon.unref();
  }

  function quietly(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (!closing.signal.aborted && !isFault(error, "unauthorized"))
        log.warn("the server's lists could not be read", { error });
    });
  }
}
