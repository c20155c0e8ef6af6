import {
  type DpopSession,
  exchangeAuthorization,
  fetchToken,
  type OAuthClientInformationMixed,
  type OAuthTokens,
  refreshAuthorization,
} from "@modelcontextprotocol/client";
import { Fault } from "../../../core/fault.ts";
import { quoted } from "../../../core/quoted.ts";
import type { AuthContext } from "./auth-context.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { authenticateClient } from "./client-authentication.ts";
import { secretsIn } from "./echo.ts";
import { isDpop } from "./is-dpop.ts";
import { lifetimeMs } from "./lifetime.ts";
import { toOAuthFault } from "./oauth-fault.ts";
import { joinScopes } from "./scopes.ts";
import type { StoredTokens } from "./store/credentials.ts";

/** Where tokens for a server come from; kept beside them. */
export interface TokenPlace {
  readonly server: AuthorizationServer;
  /** What they are for (RFC 8707); nothing where the authorization server must not be told. */
  readonly resource?: string;
}

export interface TokenRequest {
  readonly place: TokenPlace;
  readonly client: OAuthClientInformationMixed;
  readonly dpop?: DpopSession | undefined;
  readonly scope?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CodeAnswer {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly iss?: string | undefined;
}

export function exchangeCode(context: AuthContext, request: TokenRequest, answer: CodeAnswer): Promise<StoredTokens> {
  return ask(context, request, (common) =>
    exchangeAuthorization(request.place.server.issuer, {
      ...common,
      ...(answer.iss !== undefined && { iss: answer.iss }),
      authorizationCode: answer.code,
      codeVerifier: answer.verifier,
      redirectUri: answer.redirectUri,
    }),
  );
}

/** Keeps what is not issued anew: the refresh token, the scope, and who signed in. */
export async function refreshTokens(
  context: AuthContext,
  request: TokenRequest,
  tokens: StoredTokens,
): Promise<StoredTokens> {
  const { refreshToken = "", scope, idToken } = tokens;
  const renewed = await ask(context, { ...request, scope }, (common) =>
    refreshAuthorization(request.place.server.issuer, { ...common, refreshToken }),
  );
  return idToken === undefined ? renewed : { idToken, ...renewed };
}

/** Any other grant, by the parameters it has of its own. */
export function grantTokens(
  context: AuthContext,
  request: TokenRequest,
  params: URLSearchParams,
): Promise<StoredTokens> {
  const { client, dpop, place } = request;
  return ask(context, request, ({ metadata, resource, addClientAuthentication, fetchFn }) =>
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
      place.server.issuer,
      { ...(metadata && { metadata }), ...(resource !== undefined && { resource }), fetchFn },
    ),
  );
}

async function ask(
  context: AuthContext,
  { place, client, dpop, scope, signal }: TokenRequest,
  send: (common: ReturnType<typeof commonOf>) => Promise<OAuthTokens>,
): Promise<StoredTokens> {
  const issuer = place.server.issuer;
  const secrets = client.client_secret === undefined ? [] : [client.client_secret];
  const noting: typeof fetch = (input, init = {}) => {
    secrets.push(...secretsIn(init));
    return context.fetch(input, init);
  };
  try {
    const tokens = await send(commonOf({ ...context, fetch: noting }, { place, client, dpop, signal }));
    requireBinding(tokens, dpop !== undefined, context);
    return toStored(tokens, issuer, scope, context.now());
  } catch (error) {
    throw toOAuthFault(error, issuer, secrets);
  }
}

function commonOf(context: AuthContext, { place, client, dpop, signal }: TokenRequest) {
  const { metadata } = place.server;
  return {
    ...(metadata && { metadata }),
    clientInformation: client,
    addClientAuthentication: authenticateClient(client, context.settings),
    ...(place.resource !== undefined && { resource: place.resource }),
    ...(dpop && { dpop }),
    fetchFn: (url: string | URL, init?: RequestInit) => context.fetch(url, { ...init, ...(signal && { signal }) }),
  };
}

/** RFC 9449 § 5: a token that is bound to a key of ours, or not, against what was asked for. */
function requireBinding(tokens: OAuthTokens, isAsked: boolean, { server, settings }: AuthContext): void {
  const isBound = isDpop({ tokenType: tokens.token_type });
  if (isBound && !isAsked) throw new Fault("denied", `The token for ${server} is bound to a key that is not ours.`);
  if (!isBound && isAsked && settings.dpop === "always")
    throw new Fault("denied", `The token for ${server} is not bound to our key, as auth.dpop demands.`);
}

/** RFC 6749 § 5.1: a scope that is not named is the one that was asked for. */
function toStored(tokens: OAuthTokens, issuer: string, asked: string | undefined, now: number): StoredTokens {
  const scope = joinScopes(tokens.scope) ?? asked;
  const life = lifetimeMs(tokens.expires_in);
  if (!/^[\x21-\x7e]+$/.test(tokens.access_token)) {
    throw new Fault("unavailable", `${quoted(issuer)} issued a token that no header can carry.`);
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
