import { type OAuthClientInformationMixed, OAuthError } from "@modelcontextprotocol/client";
import { Fault } from "../../../../core/fault.ts";
import { isRecord } from "../../../../core/is-record.ts";
import { quoted } from "../../../../core/text/peer-text.ts";
import type { AuthContext } from "../auth-context.ts";
import type { AuthorizationServer } from "../discovery/authorization-server.ts";
import { secretsInRequest, toOAuthFault } from "../oauth-fault.ts";
import { authenticateClient } from "../registration/client-authentication.ts";

export interface PushedRequest {
  readonly server: AuthorizationServer;
  readonly client: OAuthClientInformationMixed;
  readonly signal: AbortSignal;
}

/**
 * Sends the parameters of a sign-in to the authorization server itself (RFC 9126), if it accepts that: the browser then
 * carries only a reference to them. Where it is not required, a refusal leaves the address as it was: some servers offer
 * it only to some clients.
 */
export async function pushAuthorizationRequest(
  context: AuthContext,
  request: PushedRequest,
  authorizationUrl: URL,
): Promise<URL> {
  const metadata = (request.server.metadata ?? {}) as Readonly<Record<string, unknown>>;
  const endpoint = metadata.pushed_authorization_request_endpoint;
  const isRequired = metadata.require_pushed_authorization_requests === true;
  if (typeof endpoint !== "string") {
    if (!isRequired) return authorizationUrl;
    const who = quoted(request.server.issuer);
    throw new Fault("denied", `${who} requires pushed authorization requests, but does not say where to send them.`);
  }
  try {
    return referenceUrl(authorizationUrl, await push(context, request, endpoint, authorizationUrl.searchParams));
  } catch (error) {
    if (isRequired || request.signal.aborted) throw error;
    context.log.debug("the sign-in was not pushed to the authorization server", { error });
    return authorizationUrl;
  }
}

/** Only `client_id` and `request_uri` (RFC 9126 § 4), beside what the endpoint's own address holds. */
function referenceUrl(authorizationUrl: URL, requestUri: string): URL {
  const url = new URL(authorizationUrl);
  for (const name of pushedParameters) url.searchParams.delete(name);
  url.searchParams.set("request_uri", requestUri);
  return url;
}

const pushedParameters = [
  "response_type",
  "code_challenge",
  "code_challenge_method",
  "redirect_uri",
  "state",
  "scope",
  "prompt",
  "resource",
];

async function push(
  context: AuthContext,
  { server, client, signal }: PushedRequest,
  endpoint: string,
  params: URLSearchParams,
): Promise<string> {
  const headers = new Headers({ accept: "application/json", "content-type": "application/x-www-form-urlencoded" });
  const body = new URLSearchParams(params);
  await authenticateClient(client, context.settings)(headers, body, endpoint, server.metadata);
  const message = { method: "POST", headers, body };
  const response = await context.fetch(endpoint, { ...message, signal });
  const answer: unknown = await response.json().catch(() => undefined);
  const fields = isRecord(answer) ? answer : {};
  if (response.ok && typeof fields.request_uri === "string" && fields.request_uri !== "") return fields.request_uri;
  const who = `The authorization server ${quoted(server.issuer)}`;
  if (response.status === 429 || response.status >= 500)
    throw new Fault("unavailable", `${who} answered with HTTP ${response.status}. Try again later.`);
  if (typeof fields.error !== "string")
    throw new Fault("denied", `${who} did not accept the sign-in (HTTP ${response.status}, without a reason).`);
  const { error, error_description: why } = fields;
  const secrets = [...secretsInRequest(message), ...(client.client_secret === undefined ? [] : [client.client_secret])];
  throw toOAuthFault(new OAuthError(error, typeof why === "string" ? why : error), server.issuer, secrets);
}
