import { checkResourceAllowed } from "@modelcontextprotocol/client";
import { Fault } from "../../../../core/fault.ts";
import { quoted } from "../../../../core/text/peer-text.ts";
import type { AuthContext } from "../auth-context.ts";
import { resourceUri } from "../store/credential-path.ts";
import type { OAuthChallenge } from "./challenge.ts";
import { findMetadata } from "./fetch-metadata.ts";
import { joinScopes } from "./scopes.ts";

/** The protected resource metadata of a server (RFC 9728). */
export interface ProtectedResource {
  /** The resource that tokens are requested for (RFC 8707). */
  readonly resource: string;
  /** In the order to try them; undefined if the server has no such document. */
  readonly authorizationServers?: readonly string[];
  readonly scopes?: string | undefined;
  readonly requiresDpop: boolean;
}

/** Tries the URL in the challenge, then the one for the server's path, then the one at its root. */
export async function discoverResource(
  context: AuthContext,
  challenge: OAuthChallenge | undefined,
  signal: AbortSignal | undefined,
): Promise<ProtectedResource> {
  const { url, settings, fetch } = context;
  const requiresDpop = settings.dpop === "always" || challenge?.scheme === "dpop";
  const found = await findMetadata(metadataUrls(url, challenge?.resourceMetadata), { fetch, signal });
  return found ? readResource(found, url, requiresDpop) : { resource: resourceUri(url), requiresDpop };
}

function metadataUrls(url: URL, named: string | undefined): readonly URL[] {
  const known = URL.parse(named ?? "", url.href);
  const path = url.pathname.replace(/\/$/, "");
  const wellKnown = "/.well-known/oauth-protected-resource";
  const paths = path === "" ? [wellKnown] : [`${wellKnown}${path}${url.search}`, wellKnown];
  const usual = paths.map((each) => new URL(each, url.origin));
  return named === undefined || known === null ? usual : [known, ...usual.filter(({ href }) => href !== known.href)];
}

function readResource(found: Readonly<Record<string, unknown>>, url: URL, requiresDpop: boolean): ProtectedResource {
  const { resource, authorization_servers: servers, scopes_supported: scopes } = found;
  if (typeof resource !== "string" || !isResourceOf(resource, url)) {
    throw new Fault(
      "denied",
      `${url.host} says that its tokens are for ${quoted(String(resource))}, which is another server. Refused: a token for it could be misused there.`,
    );
  }
  const named = stringsIn(servers);
  return {
    resource,
    ...(named.length > 0 && { authorizationServers: named }),
    scopes: joinScopes(...stringsIn(scopes)),
    requiresDpop: requiresDpop || found.dpop_bound_access_tokens_required === true,
  };
}

/** RFC 9728 § 3.3: otherwise a server could get tokens that are valid at another one. */
function isResourceOf(resource: string, url: URL): boolean {
  return URL.canParse(resource) && checkResourceAllowed({ requestedResource: url, configuredResource: resource });
}

function stringsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}
