import type { McpOffer, OfferChange } from "./offer.ts";

/** Tells everybody who listens about changes of an offer, through one subscription to it. */
export interface Changes {
  listen(listener: (change: OfferChange) => void): () => void;
  /** Calls the listener when the server closes and no change will be told any more. */
  onClose(listener: () => void): () => void;
  close(): void;
}

export function createChanges(offer: McpOffer): Changes {
  const listeners = new Set<(change: OfferChange) => void>();
  const closeListeners = new Set<() => void>();
  let stop: (() => void) | undefined;
  return {
    listen(listener) {
      listeners.add(listener);
      stop ??= offer.onChange?.((change) => {
        for (const each of listeners) each(change);
      });
      return () => listeners.delete(listener);
    },
    onClose(listener) {
      closeListeners.add(listener);
      return () => closeListeners.delete(listener);
    },
    close() {
      for (const each of closeListeners) each();
      closeListeners.clear();
      listeners.clear();
      stop?.();
      stop = undefined;
    },
  };
}
