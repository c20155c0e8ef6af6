import { crypto } from "../../../../core/crypto.ts";
import type { KeyMark, SealingKey } from "./keys/sealing-key.ts";

/** A file as it lies on the disk: what it is, which key opens it, and the rest unreadable. */
export interface Sealed {
  readonly format: "clawport-sign-in";
  readonly version: 1;
  readonly key: KeyMark;
  readonly iv: string;
  readonly tag: string;
  readonly data: string;
}

const algorithm = "aes-256-gcm";

/** `name` is bound in: a file that was copied over another one does not open there. */
export function seal(text: string, { kind, id, salt, bytes }: SealingKey, name: string): Sealed {
  const iv = crypto().randomBytes(12);
  const cipher = crypto().createCipheriv(algorithm, bytes, iv);
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

/** Throws where a single bit of it is not as it was. */
export function unseal({ iv, tag, data }: Sealed, { bytes }: SealingKey, name: string): string {
  const decipher = crypto().createDecipheriv(algorithm, bytes, Buffer.from(iv, "base64url"), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(`clawport-sign-in\0${name}`));
  decipher.setAuthTag(Buffer.from(tag, "base64url"));
  return Buffer.concat([decipher.update(Buffer.from(data, "base64url")), decipher.final()]).toString("utf8");
}

export function parseSealed(value: unknown): Sealed {
  const sealed = value as Sealed;
  const { kind, id, salt } = sealed.key;
  const isOurs = sealed.format === "clawport-sign-in" && sealed.version === 1;
  const hasKey = kind === "keychain" || kind === "file" || (kind === "passphrase" && typeof salt === "string");
  const texts: unknown[] = [id, sealed.iv, sealed.tag, sealed.data];
  if (!isOurs || !hasKey || !texts.every((text) => typeof text === "string"))
    throw new TypeError("this is no sign-in of ours");
  return sealed;
}
