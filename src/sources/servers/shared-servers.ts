import type { Log } from "../../core/log.ts";
import { carriedExtensions, type Extensions } from "../../mcp/messages/extensions.ts";
import { createKnownRedactor } from "../../core/secrets/redact-known.ts";
import type { Agreement } from "../../mcp/client/mcp-client.ts";
import type { Era } from "../../mcp/messages/protocol-version.ts";
import type { Connection } from "./connection/connection.ts";
import { stopWhenIdle } from "./connection/idle-stop.ts";
import { createRequestedLogLevel, type RequestedLogLevel } from "./connection/requested-log-level.ts";
import { createUrlElicitations, type UrlElicitations } from "./connection/url-elicitations.ts";
import type { ServerDefinition } from "./definition.ts";
import { createListCache, type ListCache } from "./lists/list-cache.ts";
import type { ListStore, StoredLists } from "./lists/list-store.ts";
import { type ResourceWatches, watchResources } from "./lists/watch-resources.ts";
import { createServerLog } from "./server-log.ts";
import { serverSecrets } from "./server-secrets.ts";

/** A connection and what is known about its server, used under one name or several. */
export interface SharedServer {
  readonly connection: Connection;
  readonly lists: ListCache;
  readonly watches: ResourceWatches;
  readonly requestedLogLevel: RequestedLogLevel;
  readonly urlElicitations: UrlElicitations;
  /** What was agreed with the server when it was last connected; undefined if it never was. */
  agreement(): Agreement | undefined;
  /** What the server says about how to use it. */
  instructions(): string | undefined;
  /** The extensions that it declared when it was last connected, if the hub can carry them. */
  extensions(): Extensions;
  /** Whether it declared this when it was last connected; undefined if it never was. */
  declares(feature: "resources" | "prompts"): boolean | undefined;
  /** Calls the listener when the lists have changed. */
  onChange(listener: () => void): () => void;
  /** Stops the connection if no other server uses it. */
  leave(): Promise<void>;
}

/**
 * Servers that are reached in exactly the same way share one connection, unless `share` is false. Servers that may need a
 * sign-in share none: each name is an account of its own.
 */
export interface SharedServers {
  join(definition: ServerDefinition): SharedServer;
  /** The number of connections. */
  readonly size: number;
}

export interface SharedServersOptions {
  readonly log: Log;
  /** How often the lists are fetched even if the server reports no change. */
  readonly discoveryMs: number;
  readonly now: () => number;
  /** Remembers the lists. Without it, they are known only after connecting. */
  readonly store?: (Pick<ListStore, "save"> & Partial<Pick<ListStore, "read">>) | undefined;
  /** `stored` and `era` are what an earlier process knew of the server. */
  connect(definition: ServerDefinition, log: Log, stored: StoredLists | undefined, era: Era | undefined): Connection;
  onStop(connection: Connection): void;
}

interface PooledServer extends Omit<SharedServer, "leave"> {
  readonly fingerprint: string;
  readonly share: boolean;
  users: number;
  endIdleStop(): void;
}

const dayMs = 24 * 60 * 60 * 1000;
/** After so many days it is found out again. */
const eraDays = 7;

export function createSharedServers(options: SharedServersOptions): SharedServers {
  const { log, discoveryMs, now, store, connect, onStop } = options;
  const pool = new Set<PooledServer>();

  return {
    get size() {
      return pool.size;
    },
    join(definition) {
      const pooled = find(definition) ?? start(definition);
      pooled.users++;
      let hasJoined = true;
      return {
        ...pooled,
        async leave() {
          if (!hasJoined) return;
          hasJoined = false;
          if (--pooled.users === 0) await stop(pooled);
        },
      };
    },
  };

  function find({ fingerprint, share }: ServerDefinition): PooledServer | undefined {
    const isAlike = (pooled: PooledServer) =>
      pooled.share && pooled.fingerprint === fingerprint && !pooled.connection.auth;
    return share ? [...pool].find(isAlike) : undefined;
  }

  function start(definition: ServerDefinition): PooledServer {
    const { name, fingerprint, share } = definition;
    const serverLog = createServerLog(log.with({ server: name }), createKnownRedactor(serverSecrets(definition)), now);
    const stored = store?.read?.(definition);
    const today = Math.floor(now() / dayMs);
    const isEraKnown = stored !== undefined && today - stored.eraDay < eraDays;
    const connection = connect(definition, serverLog, stored, isEraKnown ? stored.agreement.era : undefined);
    const eraDay = isEraKnown ? stored.eraDay : today;
    const listeners = new Set<() => void>();
    let agreement = stored?.agreement;
    let extensions = carriedExtensions(agreement?.capabilities ?? {});
    connection.listen({
      onOpen(link) {
        agreement = link.agreement;
        extensions = carriedExtensions(agreement.capabilities);
      },
    });
    const onChange = () => {
      for (const listener of listeners) listener();
    };
    const lists = createListCache({
      connection,
      log: serverLog,
      intervalMs: discoveryMs,
      now,
      stored,
      onChange,
      onFetched: (fetched) => store?.save(definition, { ...fetched, eraDay }),
    });
    const watches = watchResources(connection, serverLog);
    const urlElicitations = createUrlElicitations(connection, now);
    const isStoppedWhenIdle = store !== undefined && definition.isLazy && definition.idleStopMs > 0;
    const endIdleStop = isStoppedWhenIdle
      ? stopWhenIdle({
          connection,
          idleMs: definition.idleStopMs,
          // Nothing would wake a server whose tools are not known.
          isNeeded: () => !lists.isKnown() || lists.isFetching() || watches.isWatching() || urlElicitations.isAwaited(),
          now,
        })
      : () => {};
    const pooled: PooledServer = {
      fingerprint,
      share,
      users: 0,
      connection,
      lists,
      watches,
      requestedLogLevel: createRequestedLogLevel(connection, serverLog),
      urlElicitations,
      endIdleStop,
      agreement: () => agreement,
      instructions: () => agreement?.instructions,
      extensions: () => extensions,
      declares: (feature) => agreement && agreement.capabilities[feature] !== undefined,
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
    pool.add(pooled);
    return pooled;
  }

  async function stop(pooled: PooledServer): Promise<void> {
    pool.delete(pooled);
    pooled.endIdleStop();
    pooled.lists.close();
    pooled.watches.close();
    pooled.requestedLogLevel.close();
    pooled.urlElicitations.close();
    await pooled.connection.stop("It was closed.");
    onStop(pooled.connection);
  }
}
