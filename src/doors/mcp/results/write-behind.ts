import { writeFile } from "node:fs";
import type { Log } from "../../../core/log.ts";

/** Files that are written while their callers go on. Until then, and if the disk refuses them, they are in memory. */
export interface WriteBehind {
  /** Undefined if it is on the disk, or was never here. */
  get(id: string): Buffer | undefined;
  /** Returns false if too much waits to be written. */
  write(id: string, file: string, content: Buffer): boolean;
  /** Forgets what the disk refused. */
  forget(isOver: (id: string) => boolean): void;
  /** Resolves when nothing is being written. */
  settled(): Promise<void>;
}

const maxBytes = 8 * 1024 * 1024;

export function createWriteBehind(log: Log, onRefused: () => void): WriteBehind {
  const held = new Map<string, Buffer>();
  let heldBytes = 0;
  let writing = 0;
  let waiting: (() => void)[] = [];

  function release(id: string): void {
    heldBytes -= held.get(id)?.length ?? 0;
    held.delete(id);
  }

  function end(id: string, file: string, error: Error | null): void {
    if (error === null) release(id);
    else {
      log.warn("could not write a large result; it is kept in memory", { file, error });
      onRefused();
    }
    if (--writing > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  return {
    get: (id) => held.get(id),
    write(id, file, content) {
      if (heldBytes + content.length > maxBytes) return false;
      held.set(id, content);
      heldBytes += content.length;
      writing++;
      writeFile(file, content, { mode: 0o600, flag: "wx" }, (error) => end(id, file, error));
      return true;
    },
    forget(isOver) {
      for (const id of held.keys()) if (isOver(id)) release(id);
    },
    settled: () => (writing === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
