import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { sortKeys } from "../../../core/sort-keys.ts";
import type { Caller } from "../../../catalog/caller.ts";
import { codeOf } from "../../../core/fault.ts";
import type { Home } from "../../../core/files/home.ts";
import type { Params } from "../../../mcp/messages/json-rpc.ts";
import type { ServerDefinition } from "../definition.ts";

/** Where the key is that statements are signed with, at the address of the hub. */
export const jwksPath = "/.well-known/jwks.json";

/** Signs who asked for a call. */
export interface IdentitySigner {
  /** A JWS in compact form, for this server and this call only. */
  state(server: Pick<ServerDefinition, "name" | "transport">, call: Params, caller: Caller): string;
  /** The public key as a JSON Web Key Set. */
  readonly jwks: object;
}

/** Long enough for a server that is busy, too short to be worth stealing. */
const validSeconds = 120;

const keyFile = (home: Home): string => home.file("guard", "identity-key.pem");

/** Whether a statement was ever signed here. */
export function hasIdentityKey(home: Home): boolean {
  return existsSync(keyFile(home));
}

/** The key is made on first use and stays in the state folder. */
export function openIdentitySigner(home: Home, now: () => number = Date.now): IdentitySigner {
  const key = loadKey(keyFile(home));
  const { x = "" } = createPublicKey(key).export({ format: "jwk" }) as { x?: string };
  // RFC 8037 appendix A.3: the thumbprint of an Ed25519 key.
  const kid = sha256(JSON.stringify({ crv: "Ed25519", kty: "OKP", x }), "base64url");
  const header = encode({ alg: "EdDSA", typ: "JWT", kid });

  return {
    jwks: { keys: [{ kty: "OKP", crv: "Ed25519", x, kid, use: "sig", alg: "EdDSA" }] },
    state({ name, transport }, call, caller) {
      const iat = Math.floor(now() / 1000);
      const { door, agent, sender, token, isOwner, sessionKey } = caller;
      const claims = encode({
        iss: "clawport",
        aud: transport.kind === "http" ? `${transport.url.origin}${transport.url.pathname}` : name,
        iat,
        exp: iat + validSeconds,
        jti: randomUUID(),
        sub: sender ?? agent ?? token ?? door,
        door,
        agent,
        sender,
        owner: isOwner,
        session: sessionKey && sha256(sessionKey, "hex").slice(0, 16),
        tool: call.name,
        arguments_sha256: hashArguments(call.arguments ?? {}),
      });
      const signature = sign(null, Buffer.from(`${header}.${claims}`), key).toString("base64url");
      return `${header}.${claims}.${signature}`;
    },
  };
}

/** Of the arguments as JSON with sorted keys and without spaces, so that a server can compute it from what it got. */
export function hashArguments(args: unknown): string {
  return sha256(JSON.stringify(args, sortKeys), "hex");
}

function loadKey(path: string): KeyObject {
  for (;;) {
    try {
      return createPrivateKey(readFileSync(path));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
    }
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const { privateKey } = generateKeyPairSync("ed25519");
    try {
      // Another process may have made one at the same moment: that one counts.
      writeFileSync(path, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx" });
      chmodSync(path, 0o600);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function sha256(text: string, encoding: "hex" | "base64url"): string {
  return createHash("sha256").update(text).digest(encoding);
}
