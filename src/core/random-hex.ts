import { closeSync, openSync, readSync } from "node:fs";
import { crypto } from "./crypto.ts";

/**
 * So many random bytes, as hexadecimal digits. Straight from the system where its source is a file: `node:crypto` would
 * ask the same one, but loading it takes as long as all else that a first order does.
 */
export function randomHex(bytes: number, source = "/dev/urandom"): string {
  return (readSource(bytes, source) ?? crypto().randomBytes(bytes)).toString("hex");
}

function readSource(bytes: number, source: string): Buffer | undefined {
  try {
    const file = openSync(source, "r");
    try {
      const found = Buffer.alloc(bytes);
      return readSync(file, found, 0, bytes, null) === bytes ? found : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
