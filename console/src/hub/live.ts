import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type Fault, toFault } from "../../../src/core/fault.ts";
import { onHubEvent } from "./events.ts";

/** Something of the hub that is read again whenever the hub says that it changed. */
export interface Live<T> {
  /** Undefined until it was read. Who reads it while rendering is rendered again when it changes. */
  readonly value: T | undefined;
  readonly fault: Fault | undefined;
  reload(): void;
  stop(): void;
}

/** A burst of events is read once. */
const burstMs = 80;
/** For what changes with every call. */
export const slowly = 1000;

export function createLive<T>(load: () => Promise<T>, events: readonly string[], gatherMs = burstMs): Live<T> {
  const value = signal<T | undefined>(undefined);
  const fault = signal<Fault | undefined>(undefined);
  let isLoading = false;
  let isStale = false;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function read(): Promise<void> {
    timer = undefined;
    isLoading = true;
    isStale = false;
    try {
      const loaded = await load();
      if (isStopped) return;
      value.value = loaded;
      fault.value = undefined;
    } catch (error) {
      if (!isStopped) fault.value = toFault(error);
    } finally {
      isLoading = false;
      if (isStale) reload();
    }
  }

  function reload(): void {
    if (isStopped) return;
    if (isLoading) isStale = true;
    else timer ??= setTimeout(() => void read(), gatherMs);
  }

  const stopListening = onHubEvent(({ type }) => {
    if (type === "hello" || events.includes(type)) reload();
  });
  void read();
  return {
    get value() {
      return value.value;
    },
    get fault() {
      return fault.value;
    },
    reload,
    stop() {
      isStopped = true;
      clearTimeout(timer);
      stopListening();
    },
  };
}

/** As `createLive`, for as long as a component is shown; begins anew when `keys` change. */
export function useLive<T>(
  load: () => Promise<T>,
  events: readonly string[],
  keys: readonly unknown[] = [],
  gatherMs = burstMs,
): Live<T> {
  const live = useMemo(() => createLive(load, events, gatherMs), keys);
  useEffect(() => () => live.stop(), [live]);
  return live;
}
