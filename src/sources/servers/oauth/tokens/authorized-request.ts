import type { IncomingHttpHeaders } from "node:http";
import { Fault } from "../../../../core/fault.ts";
import type { AuthorizedRequest } from "../../../../mcp/client/authorizer.ts";
import type { AuthContext } from "../auth-context.ts";
import { apiKeyNeeded, newTokenRefused, signInLost, signInNeeded, widerSignInNeeded } from "../connection-auth.ts";
import { type OAuthChallenge, readOAuthChallenge } from "../discovery/challenge.ts";
import { joinScopes } from "../discovery/scopes.ts";
import type { StoredTokens } from "../store/credentials.ts";
import { isDpopBound } from "./dpop.ts";
import type { TokenCache } from "./token-cache.ts";

/** What a request needs to be authorized. */
export interface AuthorizedRequestOptions {
  readonly context: AuthContext;
  readonly cache: TokenCache;
  /** Whether tokens come without the user. */
  readonly isUnattended: boolean;
  /** A fault if the server now names another authorization server. */
  findMove(signal: AbortSignal | undefined): Promise<Fault | undefined>;
  /** Whether there is an authorization server to sign in at; true if that can't be found out. */
  offersSignIn(signal: AbortSignal | undefined): Promise<boolean>;
}

/** How often a newer token from another request or process is tried. */
const maxOtherTokens = 3;
const maxStepUps = 2;

export function createAuthorizedRequest(
  options: AuthorizedRequestOptions,
  method: string,
  url: URL,
): AuthorizedRequest {
  const { context, cache, isUnattended } = options;
  const { server, demand, now } = context;
  let sent: StoredTokens | undefined;
  const begunAt = now();
  let otherTokensTried = 0;
  let isRenewed = false;
  let stepUps = 0;
  let nonces = 0;

  return {
    async headers(signal) {
      // A token is only for the server it was issued for, even if a request goes elsewhere.
      if (url.origin !== context.url.origin) return {};
      sent = await cache.current(signal);
      return sent ? tokenHeaders(sent) : {};
    },
    answered(headers) {
      void noteNonce(headers);
    },
    async refused({ status, headers, signal }) {
      const challenge = readOAuthChallenge(headers["www-authenticate"]);
      if (status === 403) return challenge?.error === "insufficient_scope" && stepUp(challenge, signal);
      if (challenge?.error === "use_dpop_nonce" && sent && nonces++ < 2) {
        await noteNonce(headers);
        return true;
      }
      demand.challenge = challenge ?? demand.challenge;
      return replaceToken(signal);
    },
  };

  async function replaceToken(signal: AbortSignal | undefined): Promise<true> {
    const refused = sent;
    // A late answer to the previous token, or to none: there is a new one already.
    if (otherTokensTried++ < maxOtherTokens && (await cache.hasOthers(refused))) return true;
    const isExpired = refused?.expiresAt !== undefined && refused.expiresAt <= now();
    const moved = refused && !isExpired ? await options.findMove(signal) : undefined;
    // A token that was issued during the request is as new as any that a refresh brings.
    const isNew = isRenewed || (refused !== undefined && refused.receivedAt > begunAt);
    if (!moved && !isNew && (refused || isUnattended) && (await cache.renew(refused, signal))) {
      isRenewed = true;
      return true;
    }
    throw moved ?? (isNew ? newTokenRefused(server) : await needed(refused, signal));
  }

  async function needed(refused: StoredTokens | undefined, signal: AbortSignal | undefined): Promise<Fault> {
    // A token that could not be renewed is not sent any more.
    if (refused || cache.known()?.signedInAt !== undefined) return signInLost(server);
    return (await options.offersSignIn(signal))
      ? signInNeeded(server, `${server} requires a sign-in.`)
      : apiKeyNeeded(server);
  }

  /** A call needs scopes that the token lacks: requests them besides those it has. */
  async function stepUp(challenge: OAuthChallenge, signal: AbortSignal | undefined): Promise<boolean> {
    const wanted = joinScopes(sent?.scope, challenge.scope);
    if (wanted === undefined) return false;
    if (stepUps++ >= maxStepUps) {
      throw new Fault(
        "denied",
        `${server} still refuses this call for missing permissions, although they were requested twice: ${wanted}`,
      );
    }
    if (await cache.hasOthers(sent)) return true;
    demand.challenge = { ...challenge, scope: demand.challenge?.scope ?? challenge.scope };
    demand.scope = wanted;
    if (isUnattended) return (await cache.renew(sent, signal)) !== undefined;
    throw widerSignInNeeded(server, wanted);
  }

  async function noteNonce(headers: IncomingHttpHeaders): Promise<void> {
    const nonce = headers["dpop-nonce"];
    if (typeof nonce === "string") (await cache.dpop())?.session.rememberNonce(url, nonce);
  }

  async function tokenHeaders(tokens: StoredTokens): Promise<Record<string, string>> {
    if (!isDpopBound(tokens)) return { authorization: `Bearer ${tokens.accessToken}` };
    const key = await cache.dpop();
    if (!key) throw signInNeeded(server, `The key that the token of ${server} is bound to is missing.`);
    const proof = await key.session.buildProof({ htm: method, htu: url, accessToken: tokens.accessToken });
    return { authorization: `DPoP ${tokens.accessToken}`, dpop: proof };
  }
}
