import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import {
  type AddClientAuthentication,
  type AuthorizationServerMetadata,
  createPrivateKeyJwtAuth,
  type OAuthClientInformationMixed,
  selectClientAuthMethod,
} from "@modelcontextprotocol/client";
import type { AuthConfig } from "../../../../core/config/auth-config.ts";
import { Fault } from "../../../../core/fault.ts";

/** Adds the client's credentials to requests that issue or revoke tokens. */
export function authenticateClient(client: OAuthClientInformationMixed, settings: AuthConfig): AddClientAuthentication {
  return async (headers, params, url, metadata) => {
    const { privateKeyFile, signingAlgorithm } = client.client_id === settings.clientId ? settings : {};
    if (privateKeyFile !== undefined) {
      const sign = await openSigner(client.client_id, privateKeyFile, signingAlgorithm, metadata);
      return sign(headers, params, url, metadata);
    }
    const methods = metadata?.token_endpoint_auth_methods_supported ?? [];
    if (client.client_secret !== undefined && signsWithSecret(client, signingAlgorithm, methods)) {
      const alg = signingAlgorithm ?? supportedAlgorithm(["HS256", "HS384", "HS512"], metadata);
      const subject = client.client_id;
      const sign = createPrivateKeyJwtAuth({ issuer: subject, subject, privateKey: client.client_secret, alg });
      return sign(headers, params, url, metadata);
    }
    switch (selectClientAuthMethod(client, methods)) {
      case "client_secret_basic": {
        // RFC 6749 § 2.3.1: both are form-encoded first, which matters if a secret holds ":", "+" or "%".
        const pair = `${formEncoded(client.client_id)}:${formEncoded(client.client_secret ?? "")}`;
        headers.set("authorization", `Basic ${Buffer.from(pair, "utf8").toString("base64")}`);
        return;
      }
      case "client_secret_post":
        params.set("client_id", client.client_id);
        if (client.client_secret !== undefined) params.set("client_secret", client.client_secret);
        return;
      default:
        params.set("client_id", client.client_id);
    }
  };
}

/** `client_secret_jwt`: the secret is not sent, but signs. */
function signsWithSecret(
  client: OAuthClientInformationMixed,
  algorithm: string | undefined,
  methods: readonly string[],
): boolean {
  if (algorithm !== undefined) return algorithm.startsWith("HS");
  if ("token_endpoint_auth_method" in client && client.token_endpoint_auth_method === "client_secret_jwt") return true;
  const sent = ["client_secret_basic", "client_secret_post"];
  return methods.includes("client_secret_jwt") && !methods.some((method) => sent.includes(method));
}

function supportedAlgorithm(
  candidates: readonly [string, ...string[]],
  metadata: AuthorizationServerMetadata | undefined,
): string {
  const supported = (metadata as Readonly<Record<string, unknown>> | undefined)
    ?.token_endpoint_auth_signing_alg_values_supported;
  return (Array.isArray(supported) && candidates.find((each) => supported.includes(each))) || candidates[0];
}

function formEncoded(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

async function openSigner(
  clientId: string,
  file: string,
  algorithm: string | undefined,
  metadata: AuthorizationServerMetadata | undefined,
): Promise<AddClientAuthentication> {
  const pem = await readSecretFile(file, "auth.privateKeyFile");
  const key = parseKey(pem, file);
  // The library accepts such a key only as a JWK.
  const isEd25519 = key.asymmetricKeyType === "ed25519";
  return createPrivateKeyJwtAuth({
    issuer: clientId,
    subject: clientId,
    privateKey: isEd25519 ? { ...key.export({ format: "jwk" }) } : key.export({ type: "pkcs8", format: "pem" }),
    alg: algorithm ?? (isEd25519 ? supportedAlgorithm(["EdDSA", "Ed25519"], metadata) : algorithmOf(key)),
  });
}

export async function readSecretFile(file: string, field: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (cause) {
    throw new Fault("config", `Could not read the file ${JSON.stringify(file)} from \`${field}\`.`, { cause });
  }
}

function parseKey(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // The cause could repeat the content of the file.
    throw new Fault(
      "config",
      `The file ${JSON.stringify(file)} from \`auth.privateKeyFile\` does not hold a private key in PEM format.`,
    );
  }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  if (asymmetricKeyType === "rsa") return "RS256";
  if (asymmetricKeyType === "rsa-pss") return "PS256";
  const curves: Readonly<Record<string, string>> = { prime256v1: "ES256", secp384r1: "ES384", secp521r1: "ES512" };
  const found = curves[asymmetricKeyDetails?.namedCurve ?? ""];
  if (found !== undefined) return found;
  throw new Fault(
    "config",
    "The key in `auth.privateKeyFile` has an unsupported type. Use RSA, EC (P-256) or Ed25519.",
  );
}
