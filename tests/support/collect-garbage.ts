import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes of the heap that are in use after everything nobody needs has been collected. */
export async function heapInUse(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // Finalizers and closing handles need a turn of the loop each before what they held is free.
  for (let round = 0; round < 3; round++) {
    await new Promise(setImmediate);
    collect();
  }
  return process.memoryUsage().heapUsed;
}
