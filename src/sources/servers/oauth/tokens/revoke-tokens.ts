import type { Log } from "../../../../core/log.ts";
import type { StoredTokens } from "../store/credentials.ts";

export interface RevocationOptions {
  /** Metadata of the authorization server that issued them. */
  readonly metadata: unknown;
  readonly tokens: StoredTokens;
  readonly fetch: typeof fetch;
  readonly log: Log;
  /** Adds the client's credentials to the request, as for the token endpoint. */
  addClientAuthentication(headers: Headers, params: URLSearchParams): void | Promise<void>;
}

/**
 * Revokes the tokens at the authorization server (RFC 7009). False if it has no such endpoint or did not revoke all of
 * them. Throws nothing, since they are deleted here either way.
 */
export async function revokeTokens(options: RevocationOptions): Promise<boolean> {
  const { metadata, tokens, log } = options;
  const { revocation_endpoint: endpoint } = (metadata ?? {}) as { readonly revocation_endpoint?: unknown };
  if (typeof endpoint !== "string" || !URL.canParse(endpoint)) return false;
  // The refresh token first: most servers revoke everything that it brought along with it.
  const byHint = [
    ["refresh_token", tokens.refreshToken],
    ["access_token", tokens.accessToken],
  ] as const;
  let isDone = true;
  for (const [hint, token] of byHint) {
    if (token === undefined) continue;
    try {
      isDone = (await revokeOne(new URL(endpoint), hint, token, options)) && isDone;
    } catch (error) {
      log.warn("could not revoke a token", { host: new URL(endpoint).host, error });
      isDone = false;
    }
  }
  return isDone;
}

/** RFC 7009 § 2.2: the status is 200 also for a token that was no longer valid. */
async function revokeOne(url: URL, hint: string, token: string, options: RevocationOptions): Promise<boolean> {
  const headers = new Headers({ accept: "application/json", "content-type": "application/x-www-form-urlencoded" });
  const params = new URLSearchParams({ token, token_type_hint: hint });
  await options.addClientAuthentication(headers, params);
  const response = await options.fetch(url, { method: "POST", headers, body: params.toString() });
  if (!response.ok)
    options.log.warn("the authorization server did not revoke a token", { host: url.host, status: response.status });
  return response.ok;
}
