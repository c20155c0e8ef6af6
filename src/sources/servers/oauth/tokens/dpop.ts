import { createHash, webcrypto } from "node:crypto";
import { type DpopKeyPair, DpopSession, generateDpopKeyPair } from "@modelcontextprotocol/client";

type Jwk = webcrypto.JsonWebKey;

/** A key that tokens are bound to, so that a stolen token alone can't be used (RFC 9449). */
export interface DpopKey {
  readonly session: DpopSession;
  /** The private key, to be stored beside the tokens. */
  readonly jwk: unknown;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256" } as const;

export async function openDpopKey(kept: unknown): Promise<DpopKey> {
  const jwk = isPrivateJwk(kept) ? kept : undefined;
  if (jwk) return { session: await DpopSession.create({ keyPair: await importPair(jwk) }), jwk };
  const pair = await generateDpopKeyPair({ alg: "ES256", extractable: true });
  const { kty, crv, x, y, d } = await webcrypto.subtle.exportKey("jwk", pair.privateKey);
  return { session: await DpopSession.create({ keyPair: pair }), jwk: { kty, crv, x, y, d } };
}

async function importPair({ kty, crv, x, y, d }: Jwk): Promise<DpopKeyPair> {
  const publicJwk = { kty, crv, x, y } as Required<Pick<Jwk, "kty" | "crv" | "x" | "y">>;
  const { subtle } = crypto;
  return {
    privateKey: await subtle.importKey("jwk", { ...publicJwk, d: d ?? "" }, algorithm, false, ["sign"]),
    publicKey: await subtle.importKey("jwk", publicJwk, algorithm, true, ["verify"]),
    publicJwk,
    thumbprint: thumbprintOf(publicJwk),
    alg: "ES256",
  };
}

/** RFC 7638 § 3: these members, in this order. */
function thumbprintOf({ crv, kty, x, y }: Jwk): string {
  return createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
}

function isPrivateJwk(value: unknown): value is Jwk {
  const { kty, crv, x, y, d } = (value ?? {}) as Jwk;
  return kty === "EC" && crv === "P-256" && [x, y, d].every((part) => typeof part === "string");
}

/** Whether a token is bound to our key. */
export function isDpopBound({ tokenType }: { readonly tokenType: string }): boolean {
  return tokenType.toLowerCase() === "dpop";
}
