import type nodeCrypto from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";

let loaded: typeof nodeCrypto | undefined;

/**
 * `node:crypto`, loaded when it is first used: loading it takes longer than most commands do, and where start-up time
 * counts (a client waits for its first answer) it is not needed.
 */
export function lazyCrypto(): typeof nodeCrypto {
  return (loaded ??= process.getBuiltinModule("node:crypto"));
}

/**
 * Random bytes as hexadecimal digits, straight from the system if its source is a file: `node:crypto` would ask the same
 * source, but loading it takes as long as everything else that a first order does.
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

/** Takes as long for every wrong one. Bytes are counted, not characters: peers may send any. */
export function isSameSecret(given: string | Buffer, right: string | Buffer): boolean {
  const [one, other] = [bytesOf(given), bytesOf(right)];
  return one.length === other.length && lazyCrypto().timingSafeEqual(one, other);
}

const bytesOf = (text: string | Buffer): Buffer => (typeof text === "string" ? Buffer.from(text) : text);

/** What is stored of a token. A fast hash, made for every request: tokens are random, so they can't be guessed. */
export function hashToken(token: string): string {
  return lazyCrypto().hash("sha256", token, "hex");
}
