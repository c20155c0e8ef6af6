import { RequestError } from "@nats-io/transport-node";
import type { Subjects } from "./bus-messages.ts";
import type { NatsLinks } from "./nats-connection.ts";

const pollMs = 250;
const maxMisses = 4;

export interface InstanceWatchOptions {
  readonly links: NatsLinks;
  readonly subjects: Subjects;
  /** The instance is gone, or has not answered for a second. */
  onLost(calls: Iterable<unknown>): void;
  /** The instance lost its connection for a moment, and what it sent may be lost. */
  onUnsure(calls: Iterable<unknown>): void;
}

/** Looks after the instances that run calls for us: one poll per instance, however many calls there are. */
export interface InstanceWatch {
  add(instance: string, call: unknown): void;
  remove(instance: string, call: unknown): void;
  close(): void;
}

interface Watched {
  readonly calls: Set<unknown>;
  readonly timer: NodeJS.Timeout;
  misses: number;
  /** How often it has connected to NATS. */
  generation: string | undefined;
  isAsking: boolean;
}

export function createInstanceWatch({ links, subjects, onLost, onUnsure }: InstanceWatchOptions): InstanceWatch {
  const all = new Map<string, Watched>();

  return {
    add(instance, call) {
      let watched = all.get(instance);
      if (watched === undefined) {
        const timer = setInterval(() => void poll(instance), pollMs).unref();
        watched = { calls: new Set(), timer, misses: 0, generation: undefined, isAsking: false };
        all.set(instance, watched);
      }
      watched.calls.add(call);
    },
    remove(instance, call) {
      all.get(instance)?.calls.delete(call);
    },
    close() {
      for (const { timer } of all.values()) clearInterval(timer);
      all.clear();
    },
  };

  async function poll(instance: string): Promise<void> {
    const watched = all.get(instance);
    if (watched === undefined || watched.isAsking) return;
    if (watched.calls.size === 0) return forget(instance, watched);
    // While our own connection is down, silence says nothing about others.
    if (!links.isConnected()) return;
    watched.isAsking = true;
    const asked = performance.now();
    try {
      const answer = await links.calls.request(subjects.ping(instance), "", pollMs);
      watched.misses = 0;
      const generation = answer.string();
      const isNew = watched.generation !== undefined && watched.generation !== generation;
      watched.generation = generation;
      if (isNew) onUnsure(watched.calls);
    } catch (error) {
      const isGone = error instanceof RequestError && error.isNoResponders();
      // A timer that is late means that this process stood still: the answer may be here, unread.
      const wasAwake = performance.now() - asked < 2 * pollMs;
      if (isGone || (links.isConnected() && wasAwake && ++watched.misses >= maxMisses)) {
        forget(instance, watched);
        onLost([...watched.calls]);
      }
    } finally {
      watched.isAsking = false;
    }
  }

  function forget(instance: string, watched: Watched): void {
    clearInterval(watched.timer);
    all.delete(instance);
  }
}
