import { randomBytes } from "node:crypto";
import {
  type OAuthClientInformationMixed,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import { Fault } from "../../../../core/fault.ts";
import { isLoopbackHostname } from "../../../../core/http/addresses.ts";
import { quoted } from "../../../../core/text/peer-text.ts";
import type { AuthContext } from "../auth-context.ts";
import { apiKeyNeeded } from "../connection-auth.ts";
import type { AuthorizationServer } from "../discovery/authorization-server.ts";
import { chooseScope, runDiscovery } from "../discovery/run-discovery.ts";
import { scopeHint, toOAuthFault } from "../oauth-fault.ts";
import { chooseClient, resolveClient, storableClient } from "../registration/client-registration.ts";
import { dropIfEmpty, prunedRecord, withoutPending, withSignIn } from "../store/credential-record.ts";
import type { Credentials, PendingSignIn } from "../store/credentials.ts";
import { openDpopKey } from "../tokens/dpop.ts";
import { exchangeCode, type TokenIssuer } from "../tokens/token-request.ts";
import { pushAuthorizationRequest } from "./pushed-request.ts";

export interface BeginSignInOptions {
  readonly redirectUri: string;
  /** Scopes besides those that are requested anyway. */
  readonly scope?: string | undefined;
  /** An authorization server that the user accepted instead of the previous one. */
  readonly issuer?: string | undefined;
  readonly signal: AbortSignal;
}

export interface RedirectSignIn {
  readonly kind: "redirect";
  /** To be opened in a browser. */
  readonly url: URL;
  readonly state: string;
}

export interface FinishSignInOptions {
  /** The user pasted it: then it may be just the code, without `state` and `iss`. */
  readonly pasted?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Authorization code with PKCE. Until it is finished, it stores only one entry in `pending`. */
export async function beginSignIn(context: AuthContext, options: BeginSignInOptions): Promise<RedirectSignIn> {
  const { redirectUri, signal } = options;
  requireOwnRedirect(context, redirectUri);
  const kept = await context.file.read();
  const found = await runDiscovery(context, { pinned: kept?.issuer, accepted: options.issuer, signal });
  const { tokenIssuer, dpop } = found;
  requirePkce(context, tokenIssuer);
  const scope = chooseScope(context, found, { kept, besides: options.scope, offline: true });
  const grantTypes = ["authorization_code", "refresh_token"];
  const client = await chooseClient(context, {
    server: tokenIssuer.server,
    redirectUri,
    grantTypes,
    scope,
    kept,
    signal,
  });
  const state = randomBytes(32).toString("base64url");
  const { authorizationUrl, codeVerifier } = await buildAuthorizationUrl(tokenIssuer, client, {
    redirectUri,
    scope,
    state,
  });
  const url = await pushAuthorizationRequest(context, { server: tokenIssuer.server, client, signal }, authorizationUrl);
  const entry: PendingSignIn = {
    verifier: codeVerifier,
    redirectUri,
    startedAt: context.now(),
    ...(scope !== undefined && { scope }),
    flow: { place: tokenIssuer, client: storableClient(context, client), dpop },
  };
  await context.file.change((now) => {
    const record = prunedRecord(context, now);
    return { ...record, pending: { ...record.pending, [state]: entry } };
  });
  return { kind: "redirect", url, state };
}

async function buildAuthorizationUrl(
  { server, resource }: TokenIssuer,
  client: OAuthClientInformationMixed,
  { redirectUri, scope, state }: { redirectUri: string; scope: string | undefined; state: string },
) {
  try {
    return await startAuthorization(server.issuer, {
      ...(server.metadata && { metadata: server.metadata }),
      clientInformation: client,
      redirectUrl: redirectUri,
      state,
      ...(scope !== undefined && { scope }),
      ...(resource !== undefined && { resource }),
    });
  } catch (error) {
    throw toOAuthFault(error, server.issuer);
  }
}

/** Without PKCE a stolen code is enough to sign in. A server that does not announce PKCE is assumed not to check it. */
function requirePkce({ server, settings }: AuthContext, { server: { issuer, metadata } }: TokenIssuer): void {
  const methods = metadata?.code_challenge_methods_supported;
  if (metadata && metadata.authorization_endpoint === undefined) {
    throw new Fault(
      "denied",
      `${quoted(issuer)} does not support signing in with a browser. Set \`auth.grant\` of ${server}.`,
    );
  }
  if (methods?.includes("S256") || (methods === undefined && settings.allowMissingPkce === true)) return;
  if (!metadata) throw apiKeyNeeded(server);
  const why = methods === undefined ? "does not announce PKCE" : "does not support PKCE with S256";
  const hint =
    methods === undefined
      ? ` If you know that it checks PKCE, set \`auth.allowMissingPkce\` of the server ${server} to true.`
      : "";
  throw new Fault("denied", `${quoted(issuer)} ${why}. Refused: a stolen code would be enough to sign in.${hint}`);
}

/** A code that is sent anywhere else is lost to an attacker. */
function requireOwnRedirect({ settings }: AuthContext, redirectUri: string): void {
  const url = URL.parse(redirectUri);
  if (redirectUri === settings.redirectUri || (url?.protocol === "http:" && isLoopbackHostname(url.hostname))) return;
  throw new Fault(
    "denied",
    `A sign-in must return to this machine or to \`auth.redirectUri\`, not to ${quoted(redirectUri)}.`,
  );
}

/** Removes the pending sign-in first, so that no answer counts twice. */
export async function finishSignIn(
  context: AuthContext,
  callback: URLSearchParams,
  { pasted = false, signal }: FinishSignInOptions,
): Promise<Credentials | undefined> {
  const { entry, state } = await takePending(context, callback, pasted);
  const { place: tokenIssuer, dpop, ...flow } = entry.flow;
  const client = resolveClient(context, flow.client) ?? flow.client;
  const { code, iss } = readAuthorizationResponse(callback, tokenIssuer.server, {
    server: context.server,
    isBare: state === undefined,
  });
  const kept = dpop ? await context.file.read() : undefined;
  const key = dpop ? await openDpopKey(kept?.dpopKey) : undefined;
  const request = { tokenIssuer, client, dpop: key?.session, scope: entry.scope, signal };
  const { verifier, redirectUri } = entry;
  const tokens = await exchangeCode(context, request, { code, verifier, redirectUri, iss });
  const result = { tokenIssuer, client: flow.client, tokens, dpopKey: key?.jwk };
  return context.file.change((now) => withSignIn(prunedRecord(context, now), result));
}

async function takePending(
  context: AuthContext,
  callback: URLSearchParams,
  pasted: boolean,
): Promise<{ readonly entry: PendingSignIn; readonly state: string | undefined }> {
  const given = callback.get("state") ?? undefined;
  const mayBeBare = pasted && given === undefined && !callback.has("iss");
  let entry: PendingSignIn | undefined;
  await context.file.change((now) => {
    const record = prunedRecord(context, now);
    const { pending = {} } = record;
    const states = Object.keys(pending);
    const state = mayBeBare && states.length === 1 ? states[0] : given;
    entry = state !== undefined && Object.hasOwn(pending, state) ? pending[state] : undefined;
    if (!entry || state === undefined) return now && dropIfEmpty(record);
    return withoutPending(record, state);
  });
  if (entry) return { entry, state: given };
  const hint = mayBeBare ? "Paste the whole address from the browser, or run" : "Run";
  throw new Fault(
    "denied",
    `This answer does not belong to a pending sign-in to ${context.server}: it was used already, is too old, or comes from elsewhere. ${hint} \`clawport auth ${context.server}\` to start again.`,
  );
}

export async function cancelSignIn(context: AuthContext, state: string): Promise<void> {
  await context.file.change((now) => {
    return now && withoutPending(prunedRecord(context, now), state);
  });
}

export interface ExpectedResponse {
  readonly server: string;
  /** The user pasted only the code, so nothing says where it comes from. */
  readonly isBare: boolean;
}

/** The code of a callback, after checking that it comes from the expected authorization server (RFC 9207). */
function readAuthorizationResponse(
  callback: URLSearchParams,
  { issuer, metadata }: AuthorizationServer,
  { server, isBare }: ExpectedResponse,
): { readonly code: string; readonly iss: string | undefined } {
  const stated = callback.get("iss") ?? undefined;
  // Without `iss` there is nothing to compare. PKCE still binds the code to this sign-in.
  const iss = isBare ? metadata?.issuer : stated;
  const isSupported = metadata?.authorization_response_iss_parameter_supported === true;
  try {
    validateAuthorizationResponseIssuer({ iss, expectedIssuer: metadata?.issuer, issParameterSupported: isSupported });
  } catch (error) {
    throw toOAuthFault(error, issuer);
  }
  const error = callback.get("error");
  if (error !== null) {
    const why = callback.get("error_description");
    const said = [error, ...(why === null ? [] : [why])].map((text) => quoted(text)).join(", ");
    const cure = error === "invalid_scope" ? scopeHint : `Run \`clawport auth ${server}\` to try again.`;
    throw new Fault("denied", `The sign-in to ${server} was refused: ${said}. ${cure}`);
  }
  const code = callback.get("code");
  if (code === null || code === "" || callback.getAll("code").length > 1)
    throw new Fault(
      "bad-request",
      `The answer to the sign-in holds no code. Run \`clawport auth ${server}\` to try again.`,
    );
  return { code, iss };
}
