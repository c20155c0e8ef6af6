import { promisify } from "node:util";
import { crypto } from "../../../../../core/crypto.ts";
import { keyLength, type SealingKey, sealingKey } from "./sealing-key.ts";

/** 32 MiB and about a tenth of a second for each guess. */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

export interface Stretcher {
  /** With the salt of a file that exists, or with one of our own. */
  stretch(salt?: string): Promise<SealingKey>;
}

/** Every salt is stretched once, however many files have it. */
export function createStretcher(passphrase: string): Stretcher {
  const scrypt = promisify<string, Uint8Array, number, object, Buffer>(crypto().scrypt);
  const known = new Map<string, Promise<SealingKey>>();
  const own = crypto().randomBytes(16).toString("base64url");
  return {
    stretch(salt = own) {
      const found = known.get(salt);
      if (found) return found;
      const made = scrypt(passphrase, Buffer.from(salt, "base64url"), keyLength, cost).then((bytes) =>
        sealingKey("passphrase", bytes, salt),
      );
      known.set(salt, made);
      return made;
    },
  };
}
