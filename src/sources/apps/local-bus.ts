import type { Bus, CallHandle, Holder } from "./bus.ts";
import { nobody } from "./call-outcomes.ts";

/** The bus of one process. */
export function createLocalBus(): Bus {
  const holders = new Map<string, Holder>();
  const waiting = new Map<string, Set<() => void>>();

  return {
    isSure: true,
    hold(sessionId, holder) {
      holders.get(sessionId)?.evict();
      holders.set(sessionId, holder);
      for (const resume of waiting.get(sessionId) ?? []) resume();
      return Promise.resolve(() => {
        if (holders.get(sessionId) === holder) holders.delete(sessionId);
      });
    },
    send(order, listener) {
      const holder = holders.get(order.sessionId);
      if (holder) return holder.receive(order, listener);
      listener.settled(nobody);
      return nothing;
    },
    held(sessionId, withinMs, signal) {
      if (holders.has(sessionId)) return Promise.resolve(true);
      if (withinMs <= 0 || signal?.aborted) return Promise.resolve(false);
      return new Promise((resolve) => {
        const all = waiting.get(sessionId) ?? new Set();
        waiting.set(sessionId, all);
        const done = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", done);
          all.delete(done);
          if (all.size === 0) waiting.delete(sessionId);
          resolve(holders.has(sessionId));
        };
        const timer = setTimeout(done, withinMs);
        signal?.addEventListener("abort", done, { once: true });
        all.add(done);
      });
    },
    [Symbol.asyncDispose]() {
      for (const holder of holders.values()) holder.evict();
      holders.clear();
      for (const all of waiting.values()) for (const resume of all) resume();
      return Promise.resolve();
    },
  };
}

const nothing: CallHandle = { cancel() {}, answer() {} };
