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

/** Who issues tokens for the server, and what it wants of them. */
export interface Discovery {
  readonly tokenIssuer: TokenIssuer;
  readonly resource: ProtectedResource;
  /** Whether tokens are to be bound to a key of ours. */
  readonly dpop: boolean;
}

/** Asks the server and then its authorization server: nothing of an earlier time is believed. */
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
    dpop: settings.dpop !== "never" && resource.wantsDpop && Array.isArray(algorithms) && algorithms.includes("ES256"),
  };
}

export interface ScopeRequest {
  readonly kept: Credentials | undefined;
  /** What a person wants besides. */
  readonly besides?: string | undefined;
  /** Whether the tokens are to be renewed while nobody is there. */
  readonly offline: boolean;
}

/**
 * Which rights to ask for: those of the configuration, else of the challenge, else of the server's document. Where more
 * are wanted, those that are held are asked for again; what another authorization server gave means nothing to this one.
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
  // Without it many authorization servers issue no refresh token.
  return scope !== undefined && offline && isOffered && !hasScope(scope, "offline_access")
    ? `${scope} offline_access`
    : scope;
}
