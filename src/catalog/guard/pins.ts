import { type FSWatcher, watch } from "node:fs";
import type { Policy, PolicyRule } from "../../core/config/policy-config.ts";
import { Fault } from "../../core/fault.ts";
import { serverFileName } from "../../core/files/server-file-name.ts";
import { isSameJson } from "../../core/is-same-json.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { quoted } from "../../core/text/peer-text.ts";
import type { Advice } from "../advice.ts";
import type { Tool } from "../../mcp/messages/tool.ts";
import type { Neighbour, ToolDirectory } from "../screen/neighbours.ts";
import type { Surroundings } from "../screen/screen-definition.ts";
import type { CatalogPrompt, CatalogTool, ListedSource, Source } from "../source.ts";
import { adviceOnPin, type HeldDefinition, heldDefinition } from "./held-definition.ts";
import {
  acceptPin,
  isHeldBack,
  listedHash,
  type ListedDefinition,
  pinKey,
  pinRulesOf,
  type PinRules,
  refusePin,
  shownOf,
} from "./judge-pins.ts";
import { flagOf } from "./findings/judge-findings.ts";
import { loadedScreener, loadScreener } from "./findings/load-screener.ts";
import type { PinnedParts } from "./pin-definition.ts";
import { type Pin, readAllPins, type ServerPins } from "./pin-file.ts";
import { openPinnedServer, type PinnedServer } from "./pinned-server.ts";
import type { ReadDefinition } from "./screen-lists.ts";
import { type ScreenedSource, type ScreenReport, screenSource } from "./screen-source.ts";

/** What can be called, with its place in the catalog. */
export type CatalogItem = CatalogTool | CatalogPrompt;

/** The definitions that servers listed first. What they change later is not shown, nor used unasked, until it is approved. */
export interface Pins {
  /** The source as the catalog shows it. Its definitions are pinned when its first list arrives. */
  screen(source: Source): Source;
  /** What was noticed about the lists of a server; undefined if nothing was. */
  reportOf(source: string): ScreenReport | undefined;
  /** Whether it can be used as far as its definition goes. If not, `check` says why. */
  isSettled(item: CatalogItem): boolean;
  /** Undefined if it can be used. */
  check(item: CatalogItem): Promise<Advice | undefined>;
  /** All pins, by server: they tell when something was first listed. */
  all(): Promise<readonly ServerPins[]>;
  /** Everything that waits for an answer, by server. */
  list(): Promise<readonly HeldDefinition[]>;
  /**
   * Accepts what servers list now under that name; returns what was held back. `seen` are the hashes of what a person was
   * shown: anything else is left as it is. Faults with `denied` if it can't be shown in full.
   */
  accept(name: string, seen?: readonly string[]): Promise<readonly HeldDefinition[]>;
  /** Rejects what servers list now under that name: it stays blocked until they list another definition. */
  reject(name: string, seen?: readonly string[]): Promise<readonly HeldDefinition[]>;
  /** Forgets all pins of a server, so that what it lists next is pinned anew; returns how many there were. */
  forget(server: string): Promise<number>;
  setPolicy(policy: Policy): void;
  /** Writes what is not in the files yet. */
  close(): Promise<void>;
}

export interface PinsOptions {
  /** Has one file for each server. */
  readonly folder: string;
  readonly policy?: Policy | undefined;
  readonly clock?: () => number;
  readonly log?: Log;
}

export function openPins({ folder, policy: given = {}, clock = Date.now, log = silentLog }: PinsOptions): Pins {
  let policy = given;
  const serverRules = new Map<string, PinRules>();
  /** The tools of each server, as it lists them. */
  const offered = new Map<string, readonly Neighbour[]>();
  let directory: ToolDirectory | undefined;
  const servers = new Map<string, PinnedServer>();
  const screens = new WeakMap<ListedSource, ScreenedSource>();
  const screensById = new Map<string, ScreenedSource>();
  let rules = pinRulesOf(policy);
  let watcher: FSWatcher | undefined;
  let isClosed = false;

  function serverOf(name: string): PinnedServer {
    const known = servers.get(name) ?? openPinnedServer({ folder, server: name, clock, log, onOpen: followAnswers });
    servers.set(name, known);
    return known;
  }

  /** Answers that other processes write count at once. Without notices of the file system, the next use finds them. */
  function followAnswers(): void {
    if (watcher !== undefined || isClosed) return;
    try {
      watcher = watch(folder, { persistent: false }, (_, file) => {
        for (const [name, server] of servers)
          if (file === null || file === serverFileName(name))
            server.reload().catch((error: unknown) => log.debug("could not read the pins again", { error }));
      });
      watcher.on("error", () => watcher?.close());
    } catch {
      // The folder is made with the first write.
    }
  }

  /** The rules of the policy with what they say about findings in definitions of this server. */
  function rulesOf({ id, prefix }: Pick<Source, "id" | "prefix">): PinRules {
    const known = serverRules.get(id) ?? { ...rules, flag: flagOf(policy, id, prefix) };
    serverRules.set(id, known);
    return known;
  }

  /** How definitions of a server are read: beside its other tools, and those of the other servers. */
  function readerFor(server: string, tools: readonly Tool[]): ReadDefinition | undefined {
    const screener = loadedScreener();
    if (policy.screen?.enabled === false || screener === undefined) return undefined;
    const { indexTools, screenDefinition, surroundings } = screener;
    if (tools.length > 0) {
      const names = tools.map(({ name }) => ({ server, name }));
      if (JSON.stringify(names) !== JSON.stringify(offered.get(server))) directory = undefined;
      offered.set(server, names);
    }
    let around: Surroundings | undefined;
    return (parts) => {
      directory ??= indexTools([...offered.values()].flat());
      around ??= surroundings(server, tools as unknown as readonly PinnedParts[], directory);
      return screenDefinition(parts, around);
    };
  }

  const heldBehind = (item: CatalogItem): ListedDefinition | undefined =>
    screens.get(item.source)?.heldBack("tool" in item ? item.tool : item.prompt);

  async function readAll(): Promise<readonly ServerPins[]> {
    await flush();
    return readAllPins(folder);
  }

  async function readHeld(): Promise<readonly Held[]> {
    return (await readAll()).flatMap(({ server, pins }) =>
      pins.flatMap((pin) => {
        const held = heldDefinition(server, pin, shownOf(pin, rulesOf({ id: server })));
        return held === undefined ? [] : [{ held, pin }];
      }),
    );
  }

  async function findHeld(name: string, seen: readonly string[] | undefined): Promise<readonly Held[]> {
    const named = (await readHeld()).filter(({ held }) => held.name === name);
    return named.filter(({ held }) => seen?.includes(held.hash) ?? true);
  }

  async function answer(found: readonly Held[], edit: (pin: Pin) => Pin): Promise<readonly HeldDefinition[]> {
    for (const { held, pin } of found) await serverOf(held.source).edit(only(pin, edit));
    return found.map(({ held }) => held);
  }

  const flush = (): Promise<unknown> => Promise.all(servers.values().map((server) => server.flush()));

  return {
    screen(source) {
      // Built-in tools come with the program. An app's tools belong to one session, whose name is never used again, and
      // their texts are cleaned when it is opened.
      if (source.kind !== "server") return source;
      const rulesFor = () => rulesOf(source);
      const screened = screenSource(source, {
        pinned: serverOf(source.id),
        rules: rulesFor,
        log,
        reader: (tools) => readerFor(source.id, tools),
        loadReader: () =>
          policy.screen?.enabled === false || loadedScreener() !== undefined ? undefined : loadScreener(),
      });
      screens.set(screened.source, screened);
      screensById.set(source.id, screened);
      return screened.source;
    },
    reportOf(source) {
      const report = screensById.get(source)?.report();
      const isNotable =
        report && Object.values(report).some((each) => (typeof each === "number" ? each : each.length) > 0);
      return isNotable ? report : undefined;
    },
    isSettled: (item) => heldBehind(item) === undefined,

    async check(item) {
      const definition = heldBehind(item);
      if (definition === undefined) return undefined;
      const server = serverOf(item.source.id);
      await server.reload();
      const pin = server.pinOf(definition);
      if (pin === undefined || !isHeldBack(pin, rulesOf(item.source))) return undefined;
      // Two sources may claim the same name, and only the catalog knows what each is called.
      if (pin.name !== item.name) await server.edit(only(pin, (known) => ({ ...known, name: item.name })));
      return {
        ...adviceOnPin(pin, item.name),
        async remember(choice) {
          const at = new Date(clock()).toISOString();
          await server.edit(only(pin, (known) => (choice === "always" ? acceptPin(known, at) : refusePin(known))));
        },
      };
    },

    all: readAll,
    list: async () =>
      (await readHeld())
        .filter(({ held, pin }) => isHeldBack(pin, rulesOf({ id: held.source })))
        .map(({ held }) => held),

    async accept(name, seen) {
      const at = new Date(clock()).toISOString();
      const found = await findHeld(name, seen);
      if (found.some(({ held }) => !held.isWhole)) throw new Fault("denied", notInFull(name));
      return answer(found, (pin) => acceptPin(pin, at));
    },

    async reject(name, seen) {
      const found = await findHeld(name, seen);
      const open = found.filter(
        ({ held, pin }) => held.state !== "refused" && isHeldBack(pin, rulesOf({ id: held.source })),
      );
      return answer(open, refusePin);
    },

    async forget(server) {
      let count = 0;
      await serverOf(server).edit(() => {
        count++;
        return undefined;
      });
      return count;
    },

    setPolicy(next) {
      const before = [rules, policy.screen, findingRules(policy)];
      rules = pinRulesOf(next);
      policy = next;
      serverRules.clear();
      if (isSameJson(before, [rules, policy.screen, findingRules(policy)])) return;
      for (const server of servers.values()) server.notify();
    },

    async close() {
      isClosed = true;
      watcher?.close();
      await flush();
    },
  };
}

const findingRules = ({ rules = [], folder }: Policy): readonly PolicyRule[] =>
  [...rules, ...(folder?.rules ?? [])].filter(({ finding }) => finding !== undefined);

const notInFull = (name: string): string =>
  `${quoted(name)} can't be accepted: its new definition is not known in full. If its server has not been listed since an update of Clawport, run \`clawport refresh\`; if it is larger than 1 MB, \`clawport pins forget <server>\` accepts it unseen.`;

interface Held {
  readonly held: HeldDefinition;
  readonly pin: Pin;
}

/** Edits this pin, unless the server has listed yet another definition since it was read. */
function only(pin: Pin, edit: (known: Pin) => Pin): (known: Pin) => Pin {
  const isSame = (known: Pin) => pinKey(known) === pinKey(pin) && known.hash === pin.hash;
  return (known) => (isSame(known) && listedHash(known) === listedHash(pin) ? edit(known) : known);
}
