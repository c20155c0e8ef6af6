import type { Log } from "../../../../core/log.ts";
import type { StoredTokens } from "../store/credentials.ts";

export interface RevocationOptions {
  /** Metadata of the authorization server that issued them. */
  readonly metadata: unknown;
  readonly tokens: StoredTokens;
  readonly fetch: typeof fetch;
  readonly log: Log;
  /** Puts the client's own credentials into the request, as for the token endpoint. */
  addClientAuthentication(headers: Headers, params: URLSearchParams): void | Promise<void>;
}

/**
 * Tells the authorization server to forget the tokens (RFC 7009). False where it has no such endpoint or did not take
 * them all back: they are gone from here either way, so nothing is thrown.
 */
export async function revokeTokens(options: RevocationOptions): Promise<boolean> {
  const { metadata, tokens, log } = options;
  const { revocation_endpoint: endpoint } = (metadata ?? {}) as { readonly revocation_endpoint?: unknown };
  if (typeof endpoint !== "string" || !URL.canParse(endpoint)) return false;
  // The refresh token first: with it goes, at most servers, everything that came of it.
  const wanted = [
    ["refresh_token", tokens.refreshToken],
    ["access_token", tokens.accessToken],
  ] as const;
  let isDone = true;
  for (const [hint, token] of wanted) {
    if (token === undefined) continue;
    try {
      isDone = (await revokeOne(new URL(endpoint), hint, token, options)) && isDone;
    } catch (error) {
      log.warn("a token could not be revoked", { host: new URL(endpoint).host, error });
      isDone = false;
    }
  }
  return isDone;
}

/** Section 2.2: 200 also for a token that was no longer good. */
async function revokeOne(url: URL, hint: string, token: string, options: RevocationOptions): Promise<boolean> {
  const headers = new Headers({ accept: "application/json", "content-type": "application/x-www-form-urlencoded" });
  const params = new URLSearchParams({ token, token_type_hint: hint });
  await options.addClientAuthentication(headers, params);
  const response = await options.fetch(url, { method: "POST", headers, body: params.toString() });
  if (!response.ok) options.log.warn("a token was not revoked", { host: url.host, status: response.status });
  return response.ok;
}
