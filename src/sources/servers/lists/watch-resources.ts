import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../../core/log.ts";
import { settledWithin } from "../../../core/wait.ts";
import { RpcFault } from "../../../mcp/messages/json-rpc.ts";
import type { Connection } from "../connection/connection.ts";
import { reconnectDelays } from "../connection/reconnecting-link.ts";
import type { Link } from "../connection/link.ts";
import { requestLimits } from "../definition.ts";

/** Subscriptions to the resources of a server, made again after every reconnection. */
export interface ResourceWatches {
  add(uri: string, listener: () => void): Promise<() => void>;
  /** Whether anything is watched. */
  isWatching(): boolean;
  close(): void;
}

interface ResourceWatch {
  readonly listeners: Set<() => void>;
  /** Settles with the answer of the server, for all listeners that were added meanwhile. */
  readonly subscribed: Promise<void>;
}

/** How long a watch waits for the server to acknowledge it. A server should do so at once. */
const acknowledgeMs = 5000;

export function watchResources(connection: Connection, log: Log): ResourceWatches {
  const watches = new Map<string, ResourceWatch>();
  /** In the modern era notifications come on their own stream, which is reopened when the subscriptions change. */
  let stream: AbortController | undefined;
  const stop = connection.listen({
    onOpen: (link) => void renew(link),
    onResourceUpdated: (uri) => {
      for (const listener of watches.get(uri)?.listeners ?? []) listener();
    },
  });

  return {
    async add(uri, listener) {
      const watch = watches.get(uri) ?? { listeners: new Set(), subscribed: subscribe(uri) };
      watches.set(uri, watch);
      watch.listeners.add(listener);
      await watch.subscribed;
      return () => remove(uri, listener);
    },
    isWatching: () => watches.size > 0,
    close() {
      stop();
      stream?.abort();
    },
  };

  async function subscribe(uri: string): Promise<void> {
    try {
      await change(await connection.open(), uri, "resources/subscribe");
    } catch (error) {
      watches.delete(uri);
      throw error;
    }
  }

  function remove(uri: string, listener: () => void): void {
    const listeners = watches.get(uri)?.listeners;
    if (!listeners?.delete(listener) || listeners.size > 0) return;
    watches.delete(uri);
    const link = connection.link();
    if (link) change(link, uri, "resources/unsubscribe").catch(() => {});
  }

  async function change(link: Link, uri: string, method: string): Promise<void> {
    if (link.agreement.era === "modern") {
      const refusal = await listen(link);
      if (refusal) throw refusal;
      return;
    }
    await link.request(method, { uri }, requestLimits(connection.definition));
  }

  async function renew(link: Link): Promise<void> {
    if (link.agreement.era === "modern") return void listen(link);
    for (const uri of watches.keys()) {
      await change(link, uri, "resources/subscribe").catch((error: unknown) =>
        log.warn("could not subscribe to a resource again", { uri, error }),
      );
    }
  }

  /**
   * Opens a stream for what is watched now. The stream before it is closed only when the server has acknowledged the new
   * one, so that no change is missed in between. Resolves then, or to the error of a server that has no such streams.
   */
  async function listen(link: Link): Promise<RpcFault | undefined> {
    const previous = stream;
    const current = new AbortController();
    stream = current;
    const uris = [...watches.keys()];
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
    };
    let refusal: RpcFault | undefined;
    const acknowledged = new Promise<void>((resolve) => {
      const settle = () => (previous?.abort(), resolve());
      void keepListening(link, notifications, current.signal, settle).then((error) => ((refusal = error), settle()));
    });
    await settledWithin(acknowledged, acknowledgeMs);
    return refusal;
  }

  /** A server without such a stream says so at once. A stream that ends is opened again after a delay. */
  async function keepListening(
    link: Link,
    notifications: object,
    signal: AbortSignal,
    onAcknowledged: () => void,
  ): Promise<RpcFault | undefined> {
    for (const wait of reconnectDelays()) {
      try {
        await link.client.listen({ notifications }, signal, onAcknowledged);
      } catch (error) {
        if (signal.aborted) return undefined;
        if (error instanceof RpcFault) return error;
        log.debug("the server's notification stream ended", { error });
      }
      await sleep(wait, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted || connection.link() !== link) return undefined;
    }
    return undefined;
  }
}
