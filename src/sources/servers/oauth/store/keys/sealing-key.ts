import { crypto } from "../../../../../core/crypto.ts";

/** Where a key lives: in the system's keychain, in a passphrase of the environment, or in a file of the owner's alone. */
export type KeyKind = "keychain" | "passphrase" | "file";

export interface SealingKey {
  readonly kind: KeyKind;
  /** Tells keys apart and says nothing of them. */
  readonly id: string;
  readonly bytes: Uint8Array;
  /** What the passphrase was stretched with. */
  readonly salt?: string;
}

/** What a sealed file says of its key. */
export type KeyMark = Omit<SealingKey, "bytes">;

export const keyLength = 32;

export function sealingKey(kind: KeyKind, bytes: Uint8Array, salt?: string): SealingKey {
  const id = crypto().createHash("sha256").update("clawport key id\0").update(bytes).digest("hex").slice(0, 16);
  return { kind, id, bytes, ...(salt !== undefined && { salt }) };
}

export function newKeyText(): string {
  return crypto().randomBytes(keyLength).toString("base64url");
}

/** Nothing where the text is no key. */
export function parseKeyText(text: string): Uint8Array | undefined {
  const trimmed = text.trim();
  const bytes = Buffer.from(trimmed, "base64url");
  return bytes.length === keyLength && /^[\w-]{43}$/.test(trimmed) ? bytes : undefined;
}
