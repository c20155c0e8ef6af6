import { createInterface } from "node:readline";
import type { World } from "../../core/process/world.ts";

/** The next line that is typed; nothing once the input ends or the line is no longer wanted. */
export function readLine(stdin: World["stdin"], signal?: AbortSignal): Promise<string | undefined> {
  if (signal?.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const lines = createInterface({ input: stdin });
    const end = (): void => lines.close();
    signal?.addEventListener("abort", end, { once: true });
    lines.once("line", (line) => {
      resolve(line);
      end();
    });
    lines.once("close", () => {
      signal?.removeEventListener("abort", end);
      resolve(undefined);
    });
  });
}
