import { rename } from "node:fs/promises";
import { Fault } from "./fault.ts";
import { messageOf } from "./thrown.ts";

/**
 * Moves a damaged file out of the way as `<name>.damaged-<time>`, so that a person can still look at it, and gives its new
 * path. Only for the holder of the file's lock.
 */
export async function setAside(path: string, now: Date = new Date()): Promise<string> {
  const aside = `${path}.damaged-${now.toISOString().replace(/[-:.]/g, "")}`;
  try {
    await rename(path, aside);
    return aside;
  } catch (error) {
    const message = `${path} is damaged and could not be set aside: ${messageOf(error)}. Move it away and try again.`;
    throw new Fault("io", message, { cause: error });
  }
}
