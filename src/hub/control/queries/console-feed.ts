import { stat } from "node:fs/promises";
import { readAuditLines } from "../../../catalog/audit/read-audit.ts";
import type { Catalog } from "../../../catalog/catalog.ts";
import type { Approvals } from "../../../catalog/guard/approvals.ts";
import { stampFile } from "../../../core/files/file-stamp.ts";
import type { Home } from "../../../core/files/home.ts";
import type { Log } from "../../../core/log.ts";
import type { GuardedCatalog } from "../../engine/open-guard.ts";
import { hubFiles } from "../../state/hub-files.ts";
import { listApprovals } from "../approvals.ts";
import { readShownConfig } from "../config-text.ts";
import type { HubContext } from "../contexts.ts";
import { readStatus } from "./hub-status.ts";
import { listApps } from "./list-apps.ts";
import { withLastUse } from "./call-series.ts";
import { readAttention } from "./find-attention.ts";
import type { FoundCall } from "./search-audit.ts";

type FeedEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface ConsoleFeedOptions {
  open(): Promise<HubContext>;
  readonly home: Home;
  readonly log: Log;
  readonly catalog: Pick<Catalog, "onChange">;
  readonly approvals: Pick<Approvals, "onChange">;
  readonly onCall: GuardedCatalog["onCall"];
  send(event: FeedEvent): void;
}

/** What is new, while someone looks: nothing is read otherwise. */
export interface ConsoleFeed {
  /** Also sends everything that is known, for a page that has just been opened. */
  start(): void;
  stop(): void;
}

/** News that no one announces, such as a server that went away, is found by looking this often. */
const lookMs = 1000;
/** What comes in a burst is sent together. Calls can come by the thousand, and a page need not show each at once. */
const settleMs = 50;
const callsSettleMs = 250;
const maxLines = 200;

export function createConsoleFeed(options: ConsoleFeedOptions): ConsoleFeed {
  const { home, log, send } = options;
  const sent = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isStale = false;
  let position: string | undefined;
  let isOn = false;
  let unsubscribe: (() => void)[] = [];
  let isHearing = false;

  async function look(): Promise<void> {
    // One look at a time; what happened meanwhile is seen by the next.
    if (isLooking) return void (isStale = true);
    isLooking = true;
    try {
      do {
        isStale = false;
        await lookOnce();
      } while (isStale && isOn);
    } catch (error) {
      log.debug("could not read the news for the console", { error });
    } finally {
      isLooking = false;
    }
  }

  async function lookOnce(): Promise<void> {
    const hub = await options.open();
    const { uptimeMs, ...status } = await readStatus(hub);
    // The time that it has been running always differs, and is no news.
    offer("status", status, { uptimeMs });
    offer("servers", { servers: await withLastUse(hub, await hub.servers.list()) });
    const { changed, ...calls } = await listApprovals(hub);
    // Definitions can be long. The page reads the list itself.
    const held = changed.map(({ name, source, state, shown, hash }) => ({ name, source, state, shown, hash }));
    offer("approvals", { ...calls, changed: held });
    offer("attention", { attention: await readAttention(hub) });
    offer("apps", { apps: await listApps(hub) });
    await readConfig(hub);
    await readNewCalls();
  }

  /** Reading it means checking all of it, so only if the file is another. */
  async function readConfig({ place, env }: HubContext): Promise<void> {
    const stamp = await stampFile(place.path);
    if (sent.get("config") === stamp || !isOn) return;
    sent.set("config", stamp);
    const { hash, problems } = await readShownConfig(place, env);
    send({ type: "config", hash, problems });
  }

  function offer(type: string, content: object, more: object = {}): void {
    const text = JSON.stringify(content);
    if (sent.get(type) === text || !isOn) return;
    sent.set(type, text);
    send({ type, ...content, ...more });
  }

  async function readNewCalls(): Promise<void> {
    const file = hubFiles.audit(home);
    const lines: FoundCall[] = [];
    let count = 0;
    for await (const { line, end } of readAuditLines({ file, after: position ?? (await endOf(file)) })) {
      position = end;
      count++;
      if (lines.push({ id: end, ...line }) > maxLines) lines.shift();
    }
    if (count > 0) send({ type: "audit", lines, dropped: count - lines.length });
  }

  /** Reading begins at the end: what was before can be searched. */
  async function endOf(file: string): Promise<string> {
    const { ino, size } = (await stat(file).catch(() => undefined)) ?? {};
    return (position = ino === undefined ? "" : `${ino}-${size}`);
  }

  function lookSoon(withinMs = settleMs): void {
    if (isOn) soon ??= setTimeout(() => ((soon = undefined), void look()), withinMs).unref();
  }

  return {
    start() {
      sent.clear();
      if (isOn) return lookSoon();
      isOn = true;
      position = undefined;
      timer = setInterval(() => void look(), lookMs).unref();
      unsubscribe = [
        options.approvals.onChange(() => lookSoon()),
        options.catalog.onChange(({ tools }) => {
          if (tools) send({ type: "tools-changed" });
          lookSoon();
        }),
      ];
      // There is no way to take it back, so it stays from the first page on.
      if (!isHearing) options.onCall(() => lookSoon(callsSettleMs));
      isHearing = true;
      void look();
    },
    stop() {
      isOn = false;
      clearInterval(timer);
      clearTimeout(soon);
      soon = undefined;
      for (const each of unsubscribe) each();
      unsubscribe = [];
    },
  };
}
