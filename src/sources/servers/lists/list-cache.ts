import { isFault, messageOf } from "../../../core/fault.ts";
import { isSameJson } from "../../../core/is-same-json.ts";
import type { Log } from "../../../core/log.ts";
import { RpcFault } from "../../../mcp/messages/json-rpc.ts";
import { judgeHeaderMarks } from "../../../mcp/messages/mirrored-headers.ts";
import type { Tool } from "../../../mcp/messages/tool.ts";
import type { Agreement } from "../../../mcp/client/mcp-client.ts";
import type { Connection } from "../connection/connection.ts";
import { requestLimits } from "../definition.ts";
import { judgeRetry } from "../connection/judge-retry.ts";
import { fetchLists, type ListMeta, noLists, type ServerLists } from "./fetch-lists.ts";
import type { StoredLists } from "./list-store.ts";

/** A server's lists, fetched after connecting, when the server says that they changed, and regularly. */
export interface ListCache {
  current(): ServerLists;
  /** The `_meta` that came with the lists. */
  meta(): ListMeta;
  /** Why they could not be read the last time; undefined if they could. */
  problem(): string | undefined;
  /** Whether they are known: fetched at least once, or stored by an earlier process. */
  isKnown(): boolean;
  /** Whether the running server has listed them. What is stored, or is from before the server slept, may have changed. */
  isVerified(): boolean;
  isFetching(): boolean;
  /** Calls the listener after each fetch, whether it succeeded or not. */
  onFetch(listener: () => void): () => void;
  /** Fetches them now. One fetch at a time: calls during a fetch share the next one. */
  refresh(): Promise<ServerLists>;
  /** Resolves when the running server has listed them. Does not fetch them twice. */
  verify(): Promise<unknown>;
  /** Something hints that they are out of date: fetches them, unless they were fetched just now. */
  suspectStale(): void;
  close(): void;
}

export interface ListCacheOptions {
  readonly connection: Connection;
  readonly log: Log;
  readonly intervalMs: number;
  readonly now: () => number;
  /** What an earlier process stored. */
  readonly stored?: StoredLists | undefined;
  onChange(): void;
  /** Called when they were fetched, unless they are the same as the last time. */
  onFetched?(fetched: Omit<StoredLists, "eraDay">): void;
}

/** How long after a change the lists are fetched, so that many changes in a row cause one fetch. */
const refetchDelayMs = 250;
/** Lists that are younger than this are not suspected to be stale. */
const freshMs = 10_000;

export function createListCache(options: ListCacheOptions): ListCache {
  const { connection, log, intervalMs, now, stored, onChange, onFetched } = options;
  const closing = new AbortController();
  /** As the server lists it; `lists` is the part of it that can be used. */
  let listed = stored?.lists ?? noLists;
  let lists = stored === undefined ? noLists : usableOf(stored.agreement, listed, noLists, noLists);
  let meta: ListMeta = stored?.meta ?? {};
  let agreed: Agreement | undefined;
  let isVerified = false;
  let problem: string | undefined;
  let fetching: Promise<ServerLists> | undefined;
  let next: Promise<ServerLists> | undefined;
  let isKnown = stored !== undefined;
  let hasAsked = false;
  let fetchedAt = -Infinity;
  let refreshTimer: NodeJS.Timeout | undefined;
  const fetchListeners = new Set<() => void>();
  // A parked server is left alone, unless its lists are not known.
  const refreshIfConnected = () => (connection.link() || !isKnown) && inBackground(refresh());
  const poll = intervalMs > 0 ? setInterval(refreshIfConnected, intervalMs).unref() : undefined;
  const stopListening = connection.listen({
    onOpen: () => inBackground(refresh()),
    onListChanged: refreshSoon,
    onState({ kind }) {
      const isParked = kind === "queued" && connection.definition.transport.kind === "stdio";
      if (kind === "sleeping" || isParked) isVerified = false;
    },
  });

  return {
    current: () => lists,
    meta: () => meta,
    problem: () => problem,
    isKnown: () => isKnown,
    isVerified: () => isVerified,
    isFetching: () => fetching !== undefined,
    onFetch(listener) {
      fetchListeners.add(listener);
      return () => fetchListeners.delete(listener);
    },
    refresh,
    // What is being fetched is asked of the server that runs now.
    verify: () => (isVerified ? Promise.resolve() : (fetching ?? refresh())),
    suspectStale() {
      if (now() - fetchedAt > freshMs) inBackground(refresh());
    },
    close() {
      stopListening();
      clearInterval(poll);
      clearTimeout(refreshTimer);
      closing.abort();
    },
  };

  function refresh(): Promise<ServerLists> {
    if (!fetching) return (fetching = fetchSafely().finally(endFetch));
    // It still waits for the connection, so its answer will be new enough.
    if (!hasAsked) return fetching;
    // What is being fetched may be out of date already: all callers share one more fetch.
    return (next ??= fetching
      .catch(() => {})
      .then(() => {
        next = undefined;
        return refresh();
      }));
  }

  function endFetch(): void {
    fetching = undefined;
    for (const listener of fetchListeners) listener();
  }

  /** Reading does no harm, so a fetch that was cut off is repeated. */
  async function fetchSafely(): Promise<ServerLists> {
    try {
      return await fetch();
    } catch (error) {
      problem = messageOf(error);
      if (closing.signal.aborted || error instanceof RpcFault || !hasAsked) throw error;
      if (judgeRetry(error, { readOnlyHint: true }) !== "repeat") throw error;
      return fetch();
    }
  }

  async function fetch(): Promise<ServerLists> {
    hasAsked = false;
    const { definition } = connection;
    const { agreement } = await connection.open(closing.signal);
    hasAsked = true;
    const options = { ...requestLimits(definition), signal: closing.signal };
    const { lists: found, meta: foundMeta } = await fetchLists(
      (method, params) => connection.query(method, params, options),
      agreement.capabilities,
    );
    problem = undefined;
    isKnown = true;
    isVerified = true;
    fetchedAt = now();
    // Not compared: a server that puts the time there would announce a change with every fetch.
    meta = foundMeta;
    const before = listed;
    listed = keepUnchanged(before, found);
    const isSame = listed === before;
    if (!isSame || agreed === undefined || !isSameJson(agreement, agreed))
      onFetched?.({ agreement, lists: listed, meta });
    agreed = agreement;
    if (isSame) return lists;
    lists = usableOf(agreement, listed, before, lists);
    onChange();
    return lists;
  }

  /** In the modern era some tools can't be called over HTTP. `usable` is what can be used of `before`. */
  function usableOf({ era }: Agreement, found: ServerLists, before: ServerLists, usable: ServerLists): ServerLists {
    const hasHeaders = era === "modern" && connection.definition.transport.kind === "http";
    if (!hasHeaders) return found;
    return { ...found, tools: found.tools === before.tools ? usable.tools : found.tools.filter(isSendable) };
  }

  function isSendable({ name, inputSchema }: Tool): boolean {
    const problem = judgeHeaderMarks(inputSchema);
    if (problem !== undefined) log.warn("a tool can't be called and is left out", { tool: name, problem });
    return problem === undefined;
  }

  function refreshSoon(): void {
    refreshTimer ??= setTimeout(() => {
      refreshTimer = undefined;
      inBackground(refresh());
    }, refetchDelayMs);
    refreshTimer.unref();
  }

  function inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (!closing.signal.aborted && !isFault(error, "unauthorized"))
        log.warn("the server's lists could not be read", { error });
    });
  }
}

/** The lists as they are now. What has not changed stays the same array, so that no one is told of a change. */
function keepUnchanged(before: ServerLists, found: ServerLists): ServerLists {
  const keep = <T>(old: readonly T[], now: readonly T[]) => (isSameJson(old, now) ? old : now);
  const tools = keep(before.tools, found.tools);
  const resources = keep(before.resources, found.resources);
  const templates = keep(before.templates, found.templates);
  const prompts = keep(before.prompts, found.prompts);
  const skills = keep(before.skills, found.skills);
  const isSame =
    tools === before.tools &&
    resources === before.resources &&
    templates === before.templates &&
    prompts === before.prompts &&
    skills === before.skills;
  return isSame ? before : { tools, resources, templates, prompts, skills };
}
