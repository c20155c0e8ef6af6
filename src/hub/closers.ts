import type { Log } from "../core/log.ts";

type Closer = () => unknown;

export interface Closers {
  add(name: string, close: Closer): void;
  /** Closes everything, what came last first. What fails is logged and does not stop the rest. */
  closeAll(): Promise<void>;
}

export function createClosers(log: Log): Closers {
  const closers: { readonly name: string; readonly close: Closer }[] = [];
  return {
    add: (name, close) => void closers.push({ name, close }),
    async closeAll() {
      for (let last = closers.pop(); last !== undefined; last = closers.pop()) {
        try {
          await last.close();
        } catch (error) {
          log.warn("something did not close well", { what: last.name, error });
        }
      }
    },
  };
}
