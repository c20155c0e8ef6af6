import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../../core/log.ts";
import { backoffDelays } from "../../../core/wait.ts";
import { RpcFault } from "../../../mcp/messages/json-rpc.ts";
import type { Connection } from "../connection/connection.ts";
import type { Link } from "../connection/link.ts";

/** Who wants to know about changes of which resource of a server; told to the server again after every reconnection. */
export interface ResourceWatches {
  add(uri: string, listener: () => void): Promise<() => void>;
  close(): void;
}

interface ResourceWatch {
  readonly listeners: Set<() => void>;
  /** Settles with what the server said to the subscription, for everybody who came meanwhile. */
  readonly subscribed: Promise<void>;
}

export function watchResources(connection: Connection, log: Log): ResourceWatches {
  const watchers = new Map<string, ResourceWatch>();
  /** In the modern era notices come on a stream of their own, which is opened anew when what it should bring changes. */
  let stream: AbortController | undefined;
  const stop = connection.listen({
    onOpen: (link) => void renew(link),
    onResourceUpdated: (uri) => {
      for (const listener of watchers.get(uri)?.listeners ?? []) listener();
    },
  });

  return {
    async add(uri, listener) {
      const watch = watchers.get(uri) ?? { listeners: new Set(), subscribed: subscribe(uri) };
      watchers.set(uri, watch);
      watch.listeners.add(listener);
      await watch.subscribed;
      return () => remove(uri, listener);
    },
    close() {
      stop();
      stream?.abort();
    },
  };

  async function subscribe(uri: string): Promise<void> {
    try {
      await change(await connection.open(), uri, "resources/subscribe");
    } catch (error) {
      watchers.delete(uri);
      throw error;
    }
  }

  function remove(uri: string, listener: () => void): void {
    const listeners = watchers.get(uri)?.listeners;
    if (!listeners?.delete(listener) || listeners.size > 0) return;
    watchers.delete(uri);
    const link = connection.link();
    if (link) change(link, uri, "resources/unsubscribe").catch(() => {});
  }

  async function change(link: Link, uri: string, method: string): Promise<void> {
    if (link.agreement.era === "modern") return listen(link);
    await link.request(method, { uri }, { timeoutMs: connection.definition.requestTimeoutMs });
  }

  async function renew(link: Link): Promise<void> {
    if (link.agreement.era === "modern") return listen(link);
    for (const uri of watchers.keys()) {
      await change(link, uri, "resources/subscribe").catch((error: unknown) =>
        log.warn("a resource can't be watched again", { uri, error }),
      );
    }
  }

  function listen(link: Link): void {
    stream?.abort();
    const current = new AbortController();
    stream = current;
    const uris = [...watchers.keys()];
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
    };
    void keepListening(link, notifications, current.signal);
  }

  /** A server without such a stream says so at once; one that ends or loses it is asked for another a little later. */
  async function keepListening(link: Link, notifications: object, signal: AbortSignal): Promise<void> {
    for (const wait of backoffDelays({ firstMs: 1000, maxMs: 60_000, jitter: 0.3 })) {
      try {
        await link.client.listen("subscriptions/listen", { notifications }, signal);
      } catch (error) {
        if (signal.aborted || error instanceof RpcFault) return;
        log.debug("the server's stream of notices ended", { error });
      }
      await sleep(wait, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted || connection.link() !== link) return;
    }
  }
}
