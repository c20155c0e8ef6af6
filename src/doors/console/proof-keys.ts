import { createHmac, hkdfSync } from "node:crypto";

/** As the page does it with WebCrypto. */
export function deriveKey(secret: string, salt: string, info: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, 32));
}

export function macOf(key: Buffer, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}
