import type { AuthContext } from "../auth-context.ts";
import type { Credentials } from "../store/credentials.ts";
import type { TokenIssuer } from "../tokens/token-request.ts";
import { chooseAuthorizationServer } from "./authorization-server.ts";
import { discoverResource, type ProtectedResource } from "./protected-resource.ts";
import { hasScope, joinScopes } from "./scopes.ts";

export interface DiscoveryOptions {
  readonly pinned?: string | undefined;
  readonly accepted?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Who issues tokens for the server, and what the server requires of them. */
export interface Discovery {
  readonly tokenIssuer: TokenIssuer;
  readonly resource: ProtectedResource;
  /** Whether tokens are to be bound to our key. */
  readonly dpop: boolean;
}

/** Asks the server and then its authorization server; uses nothing from earlier runs. */
export async function runDiscovery(
  context: AuthContext,
  { pinned, accepted, signal }: DiscoveryOptions,
): Promise<Discovery> {
  const { settings, demand } = context;
  demand.challenge ??= await context.probe(signal);
  const resource = await discoverResource(context, demand.challenge, signal);
  const server = await chooseAuthorizationServer(context, { resource, pinned, accepted, signal });
  const { dpop_signing_alg_values_supported: algorithms } = (server.metadata ?? {}) as Record<string, unknown>;
  return {
    tokenIssuer: { server, ...(settings.omitResource !== true && { resource: resource.resource }) },
    resource,
    dpop:
      settings.dpop !== "never" && resource.requiresDpop && Array.isArray(algorithms) && algorithms.includes("ES256"),
  };
}

export interface ScopeRequest {
  readonly kept: Credentials | undefined;
  /** What the user requested besides. */
  readonly besides?: string | undefined;
  /** Whether the tokens are to be renewed without the user. */
  readonly offline: boolean;
}

/**
 * Which scopes to request: those of the configuration, else of the challenge, else of the server's document. If more are
 * needed, those already granted are requested again, but only if this authorization server granted them.
 */
export function chooseScope(
  { settings, demand }: AuthContext,
  { resource, tokenIssuer }: Discovery,
  { kept, besides, offline }: ScopeRequest,
): string | undefined {
  const usual = joinScopes(...(settings.scopes ?? [])) ?? joinScopes(demand.challenge?.scope) ?? resource.scopes;
  const more = joinScopes(besides, demand.scope);
  const held = more !== undefined && kept?.tokens?.issuer === tokenIssuer.server.issuer ? kept.tokens.scope : undefined;
  const scope = joinScopes(usual, held, more);
  const isOffered = tokenIssuer.server.metadata?.scopes_supported?.includes("offline_access") ?? false;
  // Many authorization servers issue no refresh token without it.
  return scope !== undefined && offline && isOffered && !hasScope(scope, "offline_access")
    ? `${scope} offline_access`
    : scope;
}
