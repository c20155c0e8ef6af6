import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { Fault } from "../core/fault.ts";

/** How a gateway knows a device: an Ed25519 key, and the hash of its public half as the id. */
export interface DeviceIdentity {
  /** SHA-256 of the raw public key, in hex. A node has it as its node id. */
  readonly deviceId: string;
  readonly publicKeyPem: string;
  readonly privateKeyPem: string;
}

export function createDeviceKey(): string {
  const { privateKey } = generateKeyPairSync("ed25519");
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** Faults with `corrupt` if the text is not an Ed25519 key. */
export function deviceIdentity(privateKeyPem: string): DeviceIdentity {
  const publicKey = publicHalf(privateKeyPem);
  return {
    deviceId: createHash("sha256").update(rawPublicKey(publicKey)).digest("hex"),
    publicKeyPem: publicKey.export({ type: "spki", format: "pem" }).toString(),
    privateKeyPem,
  };
}

function publicHalf(privateKeyPem: string): KeyObject {
  try {
    const key = createPrivateKey(privateKeyPem);
    if (key.asymmetricKeyType === "ed25519") return createPublicKey(key);
  } catch {
    // The message would quote the key.
  }
  throw new Fault("corrupt", "This is not an Ed25519 key.");
}

/** DER puts a fixed header before the 32 bytes. */
function rawPublicKey(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: "spki", format: "der" }).subarray(-32);
}

/** What OpenClaw's client needs of a device, as it names it. */
export const deviceCrypto = {
  signDevicePayload: (privateKeyPem: string, payload: string): string =>
    sign(null, Buffer.from(payload), createPrivateKey(privateKeyPem)).toString("base64url"),
  publicKeyRawBase64UrlFromPem: (publicKeyPem: string): string =>
    rawPublicKey(createPublicKey(publicKeyPem)).toString("base64url"),
};
