import { type AuthorizationServerMetadata, buildDiscoveryUrls } from "@modelcontextprotocol/client";
import { Fault } from "../../../core/fault.ts";
import { quoted } from "../../../core/quoted.ts";
import type { AuthContext } from "./auth-context.ts";
import { fetchJson } from "./fetch-json.ts";
import { judgeTarget } from "./net/judge-target.ts";

/** Who issues tokens for a server. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** Nothing for servers of 2025-03-26, whose endpoints stand at fixed paths. */
  readonly metadata?: AuthorizationServerMetadata;
}

/** Nothing where no document is found (RFC 8414, OpenID Connect Discovery). Faults where it is another one's. */
export async function discoverAuthorizationServer(
  address: string,
  { url, fetch }: Pick<AuthContext, "url" | "fetch">,
  signal: AbortSignal | undefined,
): Promise<AuthorizationServer | undefined> {
  if (!URL.canParse(address)) {
    throw new Fault("denied", `${url.host} names ${quoted(address)} as its authorization server, which is no address.`);
  }
  for (const place of buildDiscoveryUrls(address)) {
    const found = await fetchJson(place.url, { fetch, signal });
    if (!found) continue;
    const issuer = found.issuer;
    // RFC 8414 § 3.3: a document that speaks for another issuer could send codes and secrets to the wrong place.
    if (typeof issuer !== "string" || !isSameIssuer(issuer, address)) {
      throw new Fault(
        "denied",
        `The authorization server ${quoted(address)} says that it is ${quoted(String(issuer))}. Refused: it could be another's.`,
      );
    }
    return { issuer, metadata: readMetadata(found, url) };
  }
  return undefined;
}

/** The same but for a slash at the end. */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, "") === other.replace(/\/$/, "");
}

const endpoints = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
  "device_authorization_endpoint",
] as const;

const lists = [
  "response_types_supported",
  "grant_types_supported",
  "code_challenge_methods_supported",
  "token_endpoint_auth_methods_supported",
  "scopes_supported",
  "dpop_signing_alg_values_supported",
] as const;

/** Many documents lack what their standard demands but signing in does not need; what it needs is checked where it does. */
function readMetadata(found: Readonly<Record<string, unknown>>, configured: URL): AuthorizationServerMetadata {
  const read: Record<string, unknown> = { ...found };
  for (const name of endpoints) if (read[name] !== undefined) read[name] = readEndpoint(name, read[name], configured);
  for (const name of lists) if (read[name] !== undefined && !Array.isArray(read[name])) delete read[name];
  if (read.token_endpoint === undefined) {
    throw new Fault("unavailable", `The authorization server ${quoted(String(found.issuer))} names no token endpoint.`);
  }
  read.response_types_supported ??= ["code"];
  return read as unknown as AuthorizationServerMetadata;
}

/** A browser and secrets are sent there. */
function readEndpoint(name: string, value: unknown, configured: URL): string {
  const verdict = judgeTarget(value, configured);
  if (verdict.pass) return value as string;
  throw new Fault("denied", `The authorization server's ${name} is refused: ${verdict.reason}.`);
}
