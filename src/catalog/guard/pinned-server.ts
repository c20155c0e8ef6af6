import { type Log, silentLog } from "../../core/log.ts";
import type { Unsubscribe } from "../source.ts";
import { judgeDefinitions, type ListedDefinition, pinKey, stateOfPin } from "./judge-pins.ts";
import { openPinFile, type Pin, type ServerPins } from "./pin-file.ts";

/** The pins of one server: in memory from its first list on, in its file soon after. Other processes share the file. */
export interface PinnedServer {
  /** Pins what is listed for the first time, and notes what has changed. `isWhole`: these are all of its lists. */
  judge(listed: readonly ListedDefinition[], isWhole: boolean): void;
  /** Undefined if there was no room for it. */
  pinOf(item: Pick<Pin, "kind" | "id">): Pin | undefined;
  /** Calls the listener when a person answered, or another process wrote the file. */
  onChange(listener: () => void): Unsubscribe;
  /** Reads what is in the file now. */
  reload(): Promise<void>;
  /** Changes the pins, in the file and here; one for which `edit` returns undefined is removed. */
  edit(edit: (pin: Pin) => Pin | undefined): Promise<void>;
  /** Tells the listeners to look again. */
  notify(): void;
  /** Writes what is not in the file yet. */
  flush(): Promise<void>;
}

export interface PinnedServerOptions {
  readonly folder: string;
  readonly server: string;
  readonly clock?: () => number;
  readonly log?: Log;
  /** Called when something waits for an answer. */
  readonly onOpen?: () => void;
}

/** A change that is not in the file yet: it is made only to the pin it was made from. */
interface Unwritten {
  readonly base: Pin | undefined;
  readonly pin: Pin;
}

export function openPinnedServer(options: PinnedServerOptions): PinnedServer {
  const { folder, server, clock = Date.now, log = silentLog, onOpen } = options;
  const file = openPinFile(folder, server, log);
  const listeners = new Set<() => void>();
  let pins: Map<string, Pin> | undefined;
  let isListed = false;
  let latest: { readonly listed: readonly ListedDefinition[]; readonly isWhole: boolean } | undefined;
  const unwritten = new Map<string, Unwritten>();
  let isDirty = false;
  let writing: Promise<void> | undefined;
  let hasFailed = false;

  return {
    judge(listed, isWhole) {
      if (pins === undefined) take(file.readNow());
      latest = { listed, isWhole };
      judgeLatest();
      if (isDirty) void flush();
    },
    pinOf: (item) => pins?.get(pinKey(item)),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async reload() {
      await flush();
      learn(await file.read());
    },
    async edit(edit) {
      await flush();
      const change = (content: ServerPins): ServerPins => {
        const kept = content.pins.map(edit).filter((pin) => pin !== undefined);
        // Without any pins left, the next list is the first one again.
        return { ...content, isListed: content.isListed && kept.length > 0, pins: kept };
      };
      learn(await file.update(change));
    },
    notify,
    flush,
  };

  function take(content: ServerPins): void {
    pins = new Map(content.pins.map((pin) => [pinKey(pin), pin]));
    isListed = content.isListed;
  }

  function judgeLatest(): void {
    if (pins === undefined || latest === undefined) return;
    const at = new Date(clock()).toISOString();
    const { changed } = judgeDefinitions(pins, latest.listed, { isListed, at });
    for (const [key, pin] of changed) {
      const base = unwritten.has(key) ? unwritten.get(key)!.base : pins.get(key);
      unwritten.set(key, { base, pin });
      pins.set(key, pin);
    }
    isDirty ||= changed.size > 0 || (latest.isWhole && !isListed);
    isListed ||= latest.isWhole;
    if (pins.values().some((pin) => stateOfPin(pin) !== "settled")) onOpen?.();
  }

  /** What is in the file counts, with what is not written yet on top of it. */
  function learn(content: ServerPins): void {
    const before = pins;
    take(content);
    for (const [key, { pin }] of unwritten) pins!.set(key, pin);
    judgeLatest();
    if (before !== undefined && !isAlike(before, pins!)) notify();
    if (isDirty) void flush();
  }

  function notify(): void {
    for (const listener of listeners) listener();
  }

  /** One write at a time. What is pinned meanwhile goes into the next one. */
  async function flush(): Promise<void> {
    while (writing !== undefined || isDirty) {
      await (writing ??= write().finally(() => (writing = undefined)));
      if (hasFailed) return;
    }
  }

  async function write(): Promise<void> {
    const added = new Map(unwritten);
    const whole = isListed;
    isDirty = false;
    try {
      const content = await file.update((current) => merge(current, added, whole));
      for (const [key, change] of added) {
        const later = unwritten.get(key);
        if (later === change) unwritten.delete(key);
        else if (later !== undefined) unwritten.set(key, { base: change.pin, pin: later.pin });
      }
      hasFailed = false;
      learn(content);
    } catch (error) {
      isDirty = true;
      if (!hasFailed) log.error("could not write the pins; keeping them in memory", { server, error });
      hasFailed = true;
    }
  }
}

/** If another process changed a pin meanwhile, its change counts, and what this one saw is judged again. */
function merge(current: ServerPins, added: ReadonlyMap<string, Unwritten>, isListed: boolean): ServerPins {
  const pins = new Map(current.pins.map((pin) => [pinKey(pin), pin]));
  for (const [key, { base, pin }] of added) {
    if (JSON.stringify(pins.get(key)) === JSON.stringify(base)) pins.set(key, pin);
  }
  return { ...current, isListed: current.isListed || isListed, pins: [...pins.values()] };
}

function isAlike(one: ReadonlyMap<string, Pin>, other: ReadonlyMap<string, Pin>): boolean {
  return one.size === other.size && [...one].every(([key, pin]) => isSamePin(pin, other.get(key)));
}

function isSamePin(one: Pin, other: Pin | undefined): boolean {
  return (
    one === other ||
    (one.hash === other?.hash &&
      one.isNew === other.isNew &&
      one.findings?.length === other.findings?.length &&
      one.refused === other.refused &&
      one.offered?.hash === other.offered?.hash &&
      one.offered?.isWithdrawn === other.offered?.isWithdrawn)
  );
}
