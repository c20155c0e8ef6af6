import type { Log } from "../../core/log.ts";
import type { Connection } from "./connection.ts";
import type { Link } from "./link.ts";

/** Who wants to know about changes of which resource of a server; told to the server again after every reconnection. */
export interface ResourceWatches {
  add(uri: string, listener: () => void): Promise<() => void>;
  close(): void;
}

export function watchResources(connection: Connection, log: Log): ResourceWatches {
  const watchers = new Map<string, Set<() => void>>();
  /** In the modern era notices come on a stream of their own, which is opened anew when what it should bring changes. */
  let stream: AbortController | undefined;
  const stop = connection.listen({
    onOpen: (link) => void renew(link),
    onResourceUpdated: (uri) => {
      for (const listener of watchers.get(uri) ?? []) listener();
    },
  });

  return {
    async add(uri, listener) {
      const known = watchers.get(uri);
      if (known) known.add(listener);
      else {
        watchers.set(uri, new Set([listener]));
        await change(await connection.open(), uri, "resources/subscribe");
      }
      return () => remove(uri, listener);
    },
    close() {
      stop();
      stream?.abort();
    },
  };

  function remove(uri: string, listener: () => void): void {
    const set = watchers.get(uri);
    if (!set?.delete(listener) || set.size > 0) return;
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
    link.client.listen("subscriptions/listen", { notifications }, current.signal).catch((error: unknown) => {
      if (current.signal.aborted || connection.link() !== link) return;
      log.debug("the server's stream of notices ended", { error });
      // A server without such a stream says so at once; one that lost it gets another try a little later.
      if (!("error" in (error as object))) setTimeout(() => connection.link() === link && listen(link), 5000).unref();
    });
  }
}
