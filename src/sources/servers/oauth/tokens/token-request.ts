import {
  type DpopSession,
  exchangeAuthorization,
  fetchToken,
  type OAuthClientInformationMixed,
  type OAuthTokens,
  refreshAuthorization,
} from "@modelcontextprotocol/client";
import { Fault } from "../../../../core/fault.ts";
import { quoted } from "../../../../core/text/peer-text.ts";
import type { AuthContext } from "../auth-context.ts";
import type { AuthorizationServer } from "../discovery/authorization-server.ts";
import { joinScopes } from "../discovery/scopes.ts";
import { secretsInRequest, toOAuthFault } from "../oauth-fault.ts";
import { authenticateClient } from "../registration/client-authentication.ts";
import type { StoredTokens } from "../store/credentials.ts";
import { isDpopBound } from "./dpop.ts";
import { readTokenResponse } from "./read-token-response.ts";

/** Who issues tokens for a server; stored beside them. */
export interface TokenIssuer {
  readonly server: AuthorizationServer;
  /** What they are for (RFC 8707); undefined if it is not sent to the authorization server. */
  readonly resource?: string;
}

export interface TokenRequest {
  readonly tokenIssuer: TokenIssuer;
  readonly client: OAuthClientInformationMixed;
  readonly dpop?: DpopSession | undefined;
  readonly scope?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CodeExchange {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly iss?: string | undefined;
}

export function exchangeCode(context: AuthContext, request: TokenRequest, answer: CodeExchange): Promise<StoredTokens> {
  return requestTokens(context, request, (common) =>
    exchangeAuthorization(request.tokenIssuer.server.issuer, {
      ...common,
      ...(answer.iss !== undefined && { iss: answer.iss }),
      authorizationCode: answer.code,
      codeVerifier: answer.verifier,
      redirectUri: answer.redirectUri,
    }),
  );
}

/** Keeps what is not issued again: the refresh token, the scope, and who signed in. */
export async function refreshTokens(
  context: AuthContext,
  request: TokenRequest,
  tokens: StoredTokens,
): Promise<StoredTokens> {
  const { refreshToken = "", scope, idToken } = tokens;
  const renewed = await requestTokens(context, { ...request, scope }, (common) =>
    refreshAuthorization(request.tokenIssuer.server.issuer, { ...common, refreshToken }),
  );
  return idToken === undefined ? renewed : { idToken, ...renewed };
}

/** Any other grant, by its own parameters. */
export function grantTokens(
  context: AuthContext,
  request: TokenRequest,
  params: URLSearchParams,
): Promise<StoredTokens> {
  const { client, dpop, tokenIssuer } = request;
  return requestTokens(context, request, ({ metadata, resource, addClientAuthentication, fetchFn }) =>
    fetchToken(
      {
        redirectUrl: undefined,
        clientMetadata: { redirect_uris: [] },
        clientInformation: () => client,
        tokens: () => undefined,
        saveTokens: () => {},
        redirectToAuthorization: () => {},
        saveCodeVerifier: () => {},
        codeVerifier: () => "",
        prepareTokenRequest: () => params,
        addClientAuthentication,
        ...(dpop && { dpop: () => dpop }),
      },
      tokenIssuer.server.issuer,
      { ...(metadata && { metadata }), ...(resource !== undefined && { resource }), fetchFn },
    ),
  );
}

async function requestTokens(
  context: AuthContext,
  { tokenIssuer, client, dpop, scope, signal }: TokenRequest,
  send: (common: ReturnType<typeof commonParameters>) => Promise<OAuthTokens>,
): Promise<StoredTokens> {
  const issuer = tokenIssuer.server.issuer;
  const secrets = client.client_secret === undefined ? [] : [client.client_secret];
  const tokenFetch: typeof fetch = async (input, init = {}) => {
    secrets.push(...secretsInRequest(init));
    return readTokenResponse(await context.fetch(input, init), issuer);
  };
  try {
    const tokens = await send(
      commonParameters({ ...context, fetch: tokenFetch }, { tokenIssuer, client, dpop, signal }),
    );
    requireBinding(tokens, dpop !== undefined, context);
    return toStoredTokens(tokens, issuer, scope, context.now());
  } catch (error) {
    throw toOAuthFault(error, issuer, secrets);
  }
}

function commonParameters(context: AuthContext, { tokenIssuer, client, dpop, signal }: TokenRequest) {
  const { metadata } = tokenIssuer.server;
  return {
    ...(metadata && { metadata }),
    clientInformation: client,
    addClientAuthentication: authenticateClient(client, context.settings),
    ...(tokenIssuer.resource !== undefined && { resource: tokenIssuer.resource }),
    ...(dpop && { dpop }),
    fetchFn: (url: string | URL, init?: RequestInit) => context.fetch(url, { ...init, ...(signal && { signal }) }),
  };
}

/** RFC 9449 § 5: refuses a token whose binding to a key is not the one that was requested. */
function requireBinding(tokens: OAuthTokens, isRequested: boolean, { server, settings }: AuthContext): void {
  const isBound = isDpopBound({ tokenType: tokens.token_type });
  if (isBound && !isRequested) throw new Fault("denied", `The token for ${server} is bound to a key that is not ours.`);
  if (!isBound && isRequested && settings.dpop === "always")
    throw new Fault("denied", `The token for ${server} is not bound to our key, but \`auth.dpop\` requires it.`);
}

/** RFC 6749 § 5.1: without a scope in the answer, the requested one was granted. */
function toStoredTokens(tokens: OAuthTokens, issuer: string, requested: string | undefined, now: number): StoredTokens {
  const scope = joinScopes(tokens.scope) ?? requested;
  const life = lifetimeMs(tokens.expires_in);
  if (!/^[\x21-\x7e]+$/.test(tokens.access_token)) {
    throw new Fault("unavailable", `${quoted(issuer)} issued a token that does not fit into a header.`);
  }
  return {
    issuer,
    accessToken: tokens.access_token,
    tokenType: tokens.token_type,
    receivedAt: now,
    ...(tokens.refresh_token !== undefined && { refreshToken: tokens.refresh_token }),
    ...(tokens.id_token !== undefined && { idToken: tokens.id_token }),
    ...(scope !== undefined && { scope }),
    ...(life !== undefined && { expiresAt: now + life }),
  };
}

const maxLifetimeMs = 10 * 365 * 24 * 3_600_000;

/**
 * The lifetime in `expires_in`; undefined if that is not usable. Limited, since a huge number would not give a valid date,
 * and not zero, which would renew a token before every request.
 */
export function lifetimeMs(seconds: unknown): number | undefined {
  const ms = typeof seconds === "string" || typeof seconds === "number" ? Number(seconds) * 1000 : Number.NaN;
  return ms > 0 ? Math.min(ms, maxLifetimeMs) : undefined;
}
