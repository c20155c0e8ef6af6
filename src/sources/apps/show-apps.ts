import { hash } from "node:crypto";
import type { Catalog } from "../../catalog/catalog.ts";
import type { Source, Unsubscribe } from "../../catalog/source.ts";
import type { RegisteredSession } from "./session/live-session.ts";
import type { SessionRegistry } from "./session/session-registry.ts";

export interface ShowAppsOptions {
  readonly sessions: Pick<SessionRegistry, "onBridgeChange">;
  readonly catalog: Pick<Catalog, "add">;
  /** The first part of each tool name in the catalog. */
  readonly prefix: string;
}

/** Adds the tools of an app to the catalog while its bridge is connected. */
export function showApps({ sessions, catalog, prefix }: ShowAppsOptions): Unsubscribe {
  const shown = new Map<RegisteredSession, Unsubscribe>();
  const stop = sessions.onBridgeChange((session) => {
    // A session that only its own tokens open is not for every user of the catalog.
    const isOpen = session.bridge !== undefined && session.record.ownTokens !== "all";
    if (isOpen === shown.has(session)) return;
    if (isOpen) shown.set(session, catalog.add(shownSource(session, prefix)));
    else {
      shown.get(session)?.();
      shown.delete(session);
    }
  });
  return () => {
    stop();
    for (const hide of shown.values()) hide();
    shown.clear();
  };
}

/** The source gets an id of its own: a session id gives access to the session, and every client can see source ids. */
function shownSource({ id, source }: RegisteredSession, prefix: string): Source {
  return {
    id: `${prefix}-${hash("sha256", id).slice(0, 8)}`,
    kind: source.kind,
    prefix,
    tools: () => source.tools(),
    call: (name, args, context) => source.call(name, args, context),
    onChange: (listener) => source.onChange(listener),
    close: () => source.close(),
  };
}
