import { lazyCrypto } from "../../../../core/secrets/crypto.ts";

/** A file on the disk: its format, which key opens it, and the encrypted content. */
export interface SealedFile {
  readonly format: "clawport-sign-in";
  readonly version: 1;
  readonly key: SealingKeyReference;
  readonly iv: string;
  readonly tag: string;
  readonly data: string;
}

const algorithm = "aes-256-gcm";

/** Binds `name`: a file that was copied over another one can't be opened there. */
export function seal(text: string, { kind, id, salt, bytes }: SealingKey, name: string): SealedFile {
  const iv = lazyCrypto().randomBytes(12);
  const cipher = lazyCrypto().createCipheriv(algorithm, bytes, iv);
  cipher.setAAD(Buffer.from(`clawport-sign-in\0${name}`));
  const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return {
    format: "clawport-sign-in",
    version: 1,
    key: { kind, id, ...(salt !== undefined && { salt }) },
    iv: iv.toString("base64url"),
    tag: cipher.getAuthTag().toString("base64url"),
    data: data.toString("base64url"),
  };
}

/** Throws if a single bit was changed. */
export function unseal({ iv, tag, data }: SealedFile, { bytes }: SealingKey, name: string): string {
  const decipher = lazyCrypto().createDecipheriv(algorithm, bytes, Buffer.from(iv, "base64url"), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(`clawport-sign-in\0${name}`));
  decipher.setAuthTag(Buffer.from(tag, "base64url"));
  return Buffer.concat([decipher.update(Buffer.from(data, "base64url")), decipher.final()]).toString("utf8");
}

export function parseSealed(value: unknown): SealedFile {
  const sealed = value as SealedFile;
  const { kind, id, salt } = sealed.key;
  const isOurs = sealed.format === "clawport-sign-in" && sealed.version === 1;
  const hasKey = kind === "keychain" || kind === "file" || (kind === "passphrase" && typeof salt === "string");
  const texts: unknown[] = [id, sealed.iv, sealed.tag, sealed.data];
  if (!isOurs || !hasKey || !texts.every((text) => typeof text === "string"))
    throw new TypeError("it is not a stored sign-in of Clawport");
  return sealed;
}

/** Where a key comes from: the system's keychain, a passphrase in the environment, or a file that only its owner can read. */
export type SealingKeyKind = "keychain" | "passphrase" | "file";

export interface SealingKey {
  readonly kind: SealingKeyKind;
  /** Distinguishes keys without revealing anything about them. */
  readonly id: string;
  readonly bytes: Uint8Array;
  /** What the key was derived from the passphrase with. */
  readonly salt?: string;
}

/** What a sealed file says about its key. */
export type SealingKeyReference = Omit<SealingKey, "bytes">;

export const keyLength = 32;

export function sealingKey(kind: SealingKeyKind, bytes: Uint8Array, salt?: string): SealingKey {
  const id = lazyCrypto().createHash("sha256").update("clawport key id\0").update(bytes).digest("hex").slice(0, 16);
  return { kind, id, bytes, ...(salt !== undefined && { salt }) };
}

export function newKeyText(): string {
  return lazyCrypto().randomBytes(keyLength).toString("base64url");
}

/** Undefined if the text is not a key. */
export function parseKeyText(text: string): Uint8Array | undefined {
  const trimmed = text.trim();
  const bytes = Buffer.from(trimmed, "base64url");
  return bytes.length === keyLength && /^[\w-]{43}$/.test(trimmed) ? bytes : undefined;
}
