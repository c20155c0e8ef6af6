import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** As the page does it with WebCrypto. */
export function deriveKey(secret: string, salt: string, info: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, 32));
}

export function macOf(key: Buffer, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}

/** Takes as long for every wrong one. */
export function isSame(given: string, right: string): boolean {
  return given.length === right.length && timingSafeEqual(Buffer.from(given), Buffer.from(right));
}
