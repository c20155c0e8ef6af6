import type { Log } from "../../core/log.ts";
import type { Connection } from "./connection/connection.ts";
import { createRequestedLogLevel, type RequestedLogLevel } from "./connection/requested-log-level.ts";
import type { ServerDefinition } from "./definition.ts";
import { createListCache, type ListCache } from "./lists/list-cache.ts";
import { type ResourceWatches, watchResources } from "./lists/watch-resources.ts";

/** A connection and what is known of its server, in use under one name or under several. */
export interface SharedServer {
  readonly connection: Connection;
  readonly lists: ListCache;
  readonly watches: ResourceWatches;
  readonly logWish: RequestedLogLevel;
  /** What the server last said about how to use it. */
  instructions(): string | undefined;
  /** Calls the listener when the lists have changed. */
  onChange(listener: () => void): () => void;
  /** Stops the connection where nobody else uses it. */
  leave(): Promise<void>;
}

/**
 * Servers that are reached in exactly the same way have one connection between them, unless one wants its own. Where one
 * may have to sign in, each name is an account, and none is shared.
 */
export interface SharedServers {
  join(definition: ServerDefinition): SharedServer;
  /** How many connections there are. */
  readonly size: number;
}

export interface SharedServersOptions {
  readonly log: Log;
  /** How often the lists are looked at even if the server says nothing. */
  readonly discoveryMs: number;
  readonly now: () => number;
  connect(definition: ServerDefinition): Connection;
  onStop(connection: Connection): void;
}

interface PooledServer extends Omit<SharedServer, "leave"> {
  readonly fingerprint: string;
  readonly share: boolean;
  users: number;
}

export function createSharedServers(options: SharedServersOptions): SharedServers {
  const { log, discoveryMs, now, connect, onStop } = options;
  const units = new Set<PooledServer>();

  return {
    get size() {
      return units.size;
    },
    join(definition) {
      const unit = find(definition) ?? start(definition);
      unit.users++;
      let isIn = true;
      return {
        ...unit,
        async leave() {
          if (!isIn) return;
          isIn = false;
          if (--unit.users === 0) await stop(unit);
        },
      };
    },
  };

  function find({ fingerprint, share }: ServerDefinition): PooledServer | undefined {
    const isAlike = (unit: PooledServer) => unit.share && unit.fingerprint === fingerprint && !unit.connection.auth;
    return share ? [...units].find(isAlike) : undefined;
  }

  function start(definition: ServerDefinition): PooledServer {
    const { name, fingerprint, share } = definition;
    const connection = connect(definition);
    const serverLog = log.with({ server: name });
    const listeners = new Set<() => void>();
    let instructions: string | undefined;
    connection.listen({ onOpen: ({ agreement }) => (instructions = agreement.instructions) });
    const onChange = () => {
      for (const listener of listeners) listener();
    };
    const unit: PooledServer = {
      fingerprint,
      share,
      users: 0,
      connection,
      lists: createListCache({ connection, log: serverLog, intervalMs: discoveryMs, now, onChange }),
      watches: watchResources(connection, serverLog),
      logWish: createRequestedLogLevel(connection, serverLog),
      instructions: () => instructions,
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
    units.add(unit);
    return unit;
  }

  async function stop(unit: PooledServer): Promise<void> {
    units.delete(unit);
    unit.lists.close();
    unit.watches.close();
    unit.logWish.close();
    await unit.connection.stop("It was closed.");
    onStop(unit.connection);
  }
}
