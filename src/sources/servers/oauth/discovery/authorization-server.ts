import { type AuthorizationServerMetadata, buildDiscoveryUrls } from "@modelcontextprotocol/client";
import { Fault, isFault } from "../../../../core/fault.ts";
import { quoted } from "../../../../core/text/peer-text.ts";
import type { AuthContext } from "../auth-context.ts";
import { quotedForShell } from "../connection-auth.ts";
import { judgeTarget } from "../net/judge-target.ts";
import { findMetadata } from "./fetch-metadata.ts";
import type { ProtectedResource } from "./protected-resource.ts";

export interface AuthorizationServerChoice {
  readonly resource: ProtectedResource;
  /** The authorization server of the first sign-in. */
  readonly pinned?: string | undefined;
  /** The one that the user accepted instead. */
  readonly accepted?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The first authorization server that answers. After the first sign-in only that one counts, unless the user accepts another. */
export async function chooseAuthorizationServer(
  context: AuthContext,
  { resource, pinned, accepted, signal }: AuthorizationServerChoice,
): Promise<AuthorizationServer> {
  const listed = namedAuthorizationServers(context, resource);
  const candidates = requirePinnedServer(context.server, listed, pinned, accepted);
  const failures: Fault[] = [];
  for (const address of candidates) {
    try {
      const found = await discoverAuthorizationServer(address, context, signal);
      if (found) return found;
    } catch (error) {
      if (!isFault(error) || signal?.aborted) throw error;
      failures.push(error);
    }
  }
  const worst = failures.find(({ code }) => code === "denied") ?? failures[0];
  if (worst) throw worst;
  // Servers of 2025-03-26 may have no metadata; an authorization server that is named must have it.
  const isNamed = resource.authorizationServers !== undefined || context.settings.authorizationServerUrl !== undefined;
  if (!isNamed) return { issuer: `${context.url.origin}/` };
  throw new Fault(
    "unavailable",
    `${quoted(candidates.join(", "))} is not an authorization server: it has no metadata.`,
  );
}

/** A server that suddenly names another authorization server may be compromised: its users would sign in there. */
export function requirePinnedServer(
  server: string,
  listed: readonly string[],
  pinned: string | undefined,
  accepted: string | undefined,
): readonly string[] {
  const choice = accepted ?? pinned;
  if (choice === undefined) return listed;
  const known = listed.filter((address) => isSameIssuer(address, choice));
  if (known.length > 0) return known;
  const shown = (address = "none") => quoted(address);
  const now = listed[0];
  if (accepted !== undefined) {
    throw new Fault(
      "denied",
      `${server} does not name ${shown(accepted)} as its authorization server, but ${shown(now)}.`,
    );
  }
  const word = now === undefined ? undefined : quotedForShell(now);
  const how =
    word === undefined
      ? ""
      : ` If this change is expected, run \`clawport auth ${server} --issuer ${word}\` to accept it.`;
  throw new Fault(
    "denied",
    `${server} now names ${shown(now)} as its authorization server, but you signed in with ${shown(pinned)}.${how}`,
    { detail: { issuer: now, pinned } },
  );
}

export function namedAuthorizationServers(
  { url, settings }: AuthContext,
  resource: ProtectedResource,
): readonly string[] {
  if (settings.authorizationServerUrl !== undefined) return [settings.authorizationServerUrl];
  return resource.authorizationServers ?? [`${url.origin}/`];
}

/** Who issues tokens for a server. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** Undefined for servers of 2025-03-26, whose endpoints are at fixed paths. */
  readonly metadata?: AuthorizationServerMetadata;
}

/** Undefined if there is no metadata (RFC 8414, OpenID Connect Discovery). Throws a fault if it is for another issuer. */
export async function discoverAuthorizationServer(
  address: string,
  { url, fetch }: Pick<AuthContext, "url" | "fetch">,
  signal: AbortSignal | undefined,
): Promise<AuthorizationServer | undefined> {
  if (!URL.canParse(address)) {
    throw new Fault("denied", `${url.host} names ${quoted(address)} as its authorization server, which is not a URL.`);
  }
  const candidates = buildDiscoveryUrls(address).map((candidate) => candidate.url);
  const found = await findMetadata(candidates, { fetch, signal });
  if (!found) return undefined;
  const issuer = found.issuer;
  // RFC 8414 § 3.3: metadata for another issuer could send codes and secrets to the wrong server.
  if (typeof issuer !== "string" || !isSameIssuer(issuer, address)) {
    throw new Fault(
      "denied",
      `The authorization server ${quoted(address)} says that it is ${quoted(String(issuer))}. Refused: its metadata may be forged.`,
    );
  }
  return { issuer, metadata: readMetadata(found, url) };
}

/** Ignores a slash at the end. */
function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, "") === other.replace(/\/$/, "");
}

const endpointFields = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
  "device_authorization_endpoint",
  "pushed_authorization_request_endpoint",
] as const;

const listFields = [
  "response_types_supported",
  "grant_types_supported",
  "code_challenge_methods_supported",
  "token_endpoint_auth_methods_supported",
  "scopes_supported",
  "dpop_signing_alg_values_supported",
] as const;

/** Many documents lack fields that the standard requires but signing in does not need. Needed fields are checked on use. */
function readMetadata(found: Readonly<Record<string, unknown>>, configured: URL): AuthorizationServerMetadata {
  const read: Record<string, unknown> = { ...found };
  for (const name of endpointFields)
    if (read[name] !== undefined) read[name] = readEndpoint(name, read[name], configured);
  for (const name of listFields) if (read[name] !== undefined && !Array.isArray(read[name])) delete read[name];
  if (read.token_endpoint === undefined) {
    throw new Fault("unavailable", `The authorization server ${quoted(String(found.issuer))} has no token endpoint.`);
  }
  read.response_types_supported ??= ["code"];
  return read as unknown as AuthorizationServerMetadata;
}

/** The user's browser and secrets are sent there. */
function readEndpoint(name: string, value: unknown, configured: URL): string {
  const verdict = judgeTarget(value, configured);
  if (verdict.pass) return value as string;
  throw new Fault("denied", `The authorization server's ${name} is refused: ${verdict.reason}.`);
}
