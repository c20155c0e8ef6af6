import { createHmac, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import { isSameSecret } from "../../../core/secrets/crypto.ts";
import type { Secret } from "../../../core/secrets/secret.ts";

/**
 * Tells what instances of this deployment sent or stored from what others on the same NATS did. A seal is a header beside
 * the data, so that versions without seals read it as before.
 */
export interface Seal {
  /** `about` says what the data is for: the same data elsewhere is not sealed. */
  make(about: string, data: string | Uint8Array): string;
  /** A message must be young as well, so that it can't be sent again later; a record may have any age. */
  isOurs(seal: string | undefined, about: string, data: Uint8Array, kind: "message" | "record"): boolean;
}

export interface SealOptions {
  /** The first one seals; what any of them has sealed is ours. */
  readonly keys: readonly Secret[];
  readonly prefix: string;
  readonly now?: () => number;
}

export const sealHeader = "Clawport-Seal";

/** Clocks of instances may differ by this much. The holder of a bridge remembers calls for longer. */
const oldestMs = 60_000;
/** 128 bits in base64url. */
const macLength = 22;

/** Without a key nothing is sealed, and everything is taken. */
export function createSeal({ keys, prefix, now = Date.now }: SealOptions): Seal | undefined {
  const derived = keys.map((key) => deriveKey(key, prefix));
  const [own] = derived;
  if (own === undefined) return undefined;
  return {
    make(about, data) {
      const time = now().toString(36);
      return `${time} ${macOf(own, about, time, data)}`;
    },
    isOurs(seal, about, data, kind) {
      const [time = "", mac = ""] = seal?.split(" ") ?? [];
      if (mac.length !== macLength) return false;
      if (kind === "message" && !(Math.abs(now() - Number.parseInt(time, 36)) <= oldestMs)) return false;
      return derived.some((key) => isSameSecret(mac, macOf(key, about, time, data)));
    },
  };
}

function deriveKey(key: Secret, prefix: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync("sha256", key.reveal(), "", `clawport nats seal ${prefix}`, 32)));
}

/** Neither subjects nor times contain a line break. */
function macOf(key: KeyObject, about: string, time: string, data: string | Uint8Array): string {
  const mac = createHmac("sha256", key).update(`${about}\n${time}\n`).update(data).digest("base64url");
  return mac.slice(0, macLength);
}
