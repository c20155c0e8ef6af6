import type { Unsubscribe } from "../../catalog/source.ts";
import { Fault, messageOf } from "../../core/fault.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { type Availability, available, type Capability } from "./capability.ts";
import { isSameJson } from "../../core/is-same-json.ts";

/** A capability, and whether this computer has what it needs. The same object while neither changes. */
export interface RegisteredCapability {
  readonly capability: Capability;
  readonly availability: Availability;
}

/** Everything this computer can do. Every door reads this list, live. */
export interface CapabilityRegistry {
  /** From now on it is offered at every door. Faults with `conflict` if the name is taken. */
  register(capability: Capability): Unsubscribe;
  /** By name. The same array until something changes. */
  list(): readonly RegisteredCapability[];
  find(name: string): RegisteredCapability | undefined;
  /** Looks at this computer again: at what one capability needs, or at what all need. Resolves when the list is up to date. */
  probe(name?: string): Promise<void>;
  onChange(listener: () => void): Unsubscribe;
}

export interface RegistryOptions {
  readonly log?: Log;
  readonly clock?: () => number;
  /** How long what was seen counts; a later `list` looks again, in the background. 15 s unless given. */
  readonly freshMs?: number;
}

/** A probe that takes longer counts as failed. */
const probeMs = 5000;

const namePattern = /^[a-z][A-Za-z0-9]*(?:\.[A-Za-z0-9]+){1,3}$/;

export function createCapabilityRegistry(options: RegistryOptions = {}): CapabilityRegistry {
  const { log = silentLog, clock = Date.now, freshMs = 15_000 } = options;
  const entries = new Map<string, RegisteredCapability>();
  const listeners = new Set<() => void>();
  let sorted: readonly RegisteredCapability[] | undefined;
  let lookedAt = -Infinity;
  let probing: Promise<void> | undefined;

  function changed(): void {
    sorted = undefined;
    for (const listener of listeners) listener();
  }

  async function lookAt(capability: Capability): Promise<void> {
    const availability = await probe(capability, log);
    const known = entries.get(capability.name);
    if (known?.capability !== capability || isSameJson(known.availability, availability)) return;
    entries.set(capability.name, { capability, availability });
    changed();
  }

  async function lookAtAll(): Promise<void> {
    lookedAt = clock();
    await Promise.all(Array.from(entries.values(), ({ capability }) => lookAt(capability)));
  }

  function lookAgain(): Promise<void> {
    return (probing ??= lookAtAll().finally(() => (probing = undefined)));
  }

  return {
    register(capability) {
      const { name } = capability;
      if (!namePattern.test(name)) throw new Fault("usage", `${JSON.stringify(name)} is not a name for a capability.`);
      if (entries.has(name)) throw new Fault("conflict", `There is already a capability ${name}.`);
      entries.set(name, { capability, availability: available });
      changed();
      if (capability.probe !== undefined) void lookAt(capability);
      return () => {
        if (entries.get(name)?.capability !== capability) return;
        entries.delete(name);
        changed();
      };
    },
    list() {
      if (clock() - lookedAt > freshMs) void lookAgain();
      return (sorted ??= [...entries.values()].toSorted((a, b) => (a.capability.name < b.capability.name ? -1 : 1)));
    },
    find: (name) => entries.get(name),
    async probe(name) {
      const one = name === undefined ? undefined : entries.get(name);
      await (one === undefined ? lookAgain() : lookAt(one.capability));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

async function probe(capability: Capability, log: Log): Promise<Availability> {
  if (capability.probe === undefined) return available;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Availability>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, reason: "this system did not answer in time" }), probeMs);
  });
  try {
    return await Promise.race([capability.probe(), late]);
  } catch (error) {
    log.debug("could not find out whether a capability is available", { capability: capability.name, error });
    return { ok: false, reason: `it could not be checked: ${messageOf(error)}` };
  } finally {
    clearTimeout(timer);
  }
}
