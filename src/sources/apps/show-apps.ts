import { hash } from "node:crypto";
import type { Catalog } from "../../catalog/catalog.ts";
import type { Source, Unsubscribe } from "../../catalog/source.ts";
import type { RegisteredSession } from "./session/live-session.ts";
import type { SessionRegistry } from "./session/session-registry.ts";

export interface ShowAppsOptions {
  readonly sessions: Pick<SessionRegistry, "onBridge">;
  readonly catalog: Pick<Catalog, "add">;
  /** What the names of the tools begin with. */
  readonly prefix: string;
}

/** Puts the tools of an app into the catalog for as long as its bridge is there. */
export function showApps({ sessions, catalog, prefix }: ShowAppsOptions): Unsubscribe {
  const shown = new Map<RegisteredSession, Unsubscribe>();
  const stop = sessions.onBridge((session) => {
    // A session that only its own tokens open is for those who have them.
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

/** Under a name of its own: the id of a session opens it, and names of sources are shown to everybody. */
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
