import { Readable } from "node:stream";
import type { World } from "../../../src/core/process/world.ts";

export interface MemoryWorld extends World {
  out(): string;
  err(): string;
  stop(): void;
}

/** A world without a terminal that records what is printed. */
export function memoryWorld(given: Partial<World> = {}): MemoryWorld {
  let out = "";
  let err = "";
  const stopping = new AbortController();
  return {
    env: {},
    cwd: "/",
    homedir: "/nowhere",
    platform: "linux",
    program: ["/usr/bin/node", "/opt/clawport/main.js"],
    stdin: Readable.from([]),
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    stopSignal: () => stopping.signal,
    ...given,
    out: () => out,
    err: () => err,
    stop: () => stopping.abort(),
  };
}
