import type nodeCrypto from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";

/**
 * `node:crypto`, loaded when it is first used: loading it takes longer than most commands do, and the ways on which
 * start-up time counts (a client waiting for its first answer) don't need it.
 */
export function lazyCrypto(): typeof nodeCrypto {
  return process.getBuiltinModule("node:crypto");
}

/**
 * So many random bytes, as hexadecimal digits. Straight from the system where its source is a file: `node:crypto` would
 * ask the same one, but loading it takes as long as all else that a first order does.
 */
export function randomHex(bytes: number, source = "/dev/urandom"): string {
  return (readSource(bytes, source) ?? lazyCrypto().randomBytes(bytes)).toString("hex");
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
