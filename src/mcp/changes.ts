import type { McpOffer, OfferChange } from "./offer.ts";

/** Tells everybody who listens about changes of an offer, through one subscription to it. */
export interface Changes {
  listen(listener: (change: OfferChange) => void): () => void;
  close(): void;
}

export function createChanges(offer: McpOffer): Changes {
  const listeners = new Set<(change: OfferChange) => void>();
  let stop: (() => void) | undefined;
  return {
    listen(listener) {
      listeners.add(listener);
      stop ??= offer.onChange?.((change) => {
        for (const each of listeners) each(change);
      });
      return () => listeners.delete(listener);
    },
    close() {
      listeners.clear();
      stop?.();
      stop = undefined;
    },
  };
}
