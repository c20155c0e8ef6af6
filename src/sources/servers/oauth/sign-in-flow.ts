import { randomBytes } from "node:crypto";
import { type OAuthClientInformationMixed, startAuthorization } from "@modelcontextprotocol/client";
import { isLoopback } from "../../../core/config/judge-address.ts";
import { Fault } from "../../../core/fault.ts";
import { quoted } from "../../../core/quoted.ts";
import type { AuthContext } from "./auth-context.ts";
import { checkAnswer } from "./check-answer.ts";
import { chooseClient, clientOf, keepableClient } from "./client-registration.ts";
import { openDpopKey } from "./dpop.ts";
import { chooseScope, findPlace } from "./find-place.ts";
import { recordOf, withoutEmpty, withSignIn } from "./kept-place.ts";
import { toOAuthFault } from "./oauth-fault.ts";
import type { Credentials, PendingSignIn } from "./store/credentials.ts";
import { exchangeCode, type TokenPlace } from "./token-request.ts";

export interface BeginOptions {
  readonly redirectUri: string;
  /** Rights besides those that are asked for anyhow. */
  readonly scope?: string | undefined;
  /** An authorization server that a person accepted in place of the one signed in with before. */
  readonly issuer?: string | undefined;
  readonly signal: AbortSignal;
}

export interface BegunSignIn {
  readonly kind: "redirect";
  /** To be opened in a browser. */
  readonly url: URL;
  readonly state: string;
}

export interface FinishOptions {
  /** A person typed it: then it may be a bare code, without `state` and `iss`. */
  readonly pasted?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Authorization code with PKCE. All that it leaves before it is finished is one entry among the waiting sign-ins. */
export async function beginSignIn(context: AuthContext, options: BeginOptions): Promise<BegunSignIn> {
  const { redirectUri, signal } = options;
  requireOwnRedirect(context, redirectUri);
  const kept = await context.file.read();
  const found = await findPlace(context, { pinned: kept?.issuer, accepted: options.issuer, signal });
  const { place, dpop } = found;
  requirePkce(context, place);
  const scope = chooseScope(context, found, { kept, besides: options.scope, offline: true });
  const grantTypes = ["authorization_code", "refresh_token"];
  const client = await chooseClient(context, { server: place.server, redirectUri, grantTypes, scope, kept, signal });
  const state = randomBytes(32).toString("base64url");
  const { authorizationUrl, codeVerifier } = await start(place, client, { redirectUri, scope, state });
  const entry: PendingSignIn = {
    verifier: codeVerifier,
    redirectUri,
    startedAt: context.now(),
    ...(scope !== undefined && { scope }),
    flow: { place, client: keepableClient(context, client), dpop },
  };
  await context.file.change((now) => {
    const record = recordOf(context, now);
    return { ...record, pending: { ...record.pending, [state]: entry } };
  });
  return { kind: "redirect", url: authorizationUrl, state };
}

async function start(
  { server, resource }: TokenPlace,
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

/** Without PKCE a stolen code is as good as the sign-in; a server that does not say it checks it must be taken not to. */
function requirePkce({ server, settings }: AuthContext, { server: { issuer, metadata } }: TokenPlace): void {
  const methods = metadata?.code_challenge_methods_supported;
  if (metadata && metadata.authorization_endpoint === undefined) {
    throw new Fault("denied", `${quoted(issuer)} lets nobody sign in with a browser. Set auth.grant of ${server}.`);
  }
  if (methods?.includes("S256") || (methods === undefined && settings.allowMissingPkce === true)) return;
  const why = methods === undefined ? "does not say that it checks PKCE" : "does not check PKCE with S256";
  const hint =
    methods === undefined
      ? ` If you know that it does, set auth.allowMissingPkce of the server ${server} to true.`
      : "";
  throw new Fault("denied", `${quoted(issuer)} ${why}. Refused: a stolen code would be enough.${hint}`);
}

/** A code that goes anywhere else is given away. */
function requireOwnRedirect({ settings }: AuthContext, redirectUri: string): void {
  const url = URL.parse(redirectUri);
  if (redirectUri === settings.redirectUri || (url?.protocol === "http:" && isLoopback(url.hostname))) return;
  throw new Fault(
    "denied",
    `A sign-in comes back to this machine, or to auth.redirectUri of the configuration; not to ${quoted(redirectUri)}.`,
  );
}

/** Takes the waiting sign-in away before anything else, so that no answer counts twice. */
export async function finishSignIn(
  context: AuthContext,
  callback: URLSearchParams,
  { pasted = false, signal }: FinishOptions,
): Promise<Credentials | undefined> {
  const { entry, state } = await take(context, callback, pasted);
  const { place, dpop, ...flow } = entry.flow;
  const client = clientOf(context, flow.client) ?? flow.client;
  const { code, iss } = checkAnswer(callback, place.server, { server: context.server, isBare: state === undefined });
  const kept = dpop ? await context.file.read() : undefined;
  const key = dpop ? await openDpopKey(kept?.dpopKey) : undefined;
  const request = { place, client, dpop: key?.session, scope: entry.scope, signal };
  const { verifier, redirectUri } = entry;
  const tokens = await exchangeCode(context, request, { code, verifier, redirectUri, iss });
  const result = { place, client: flow.client, tokens, dpopKey: key?.jwk };
  return context.file.change((now) => withSignIn(recordOf(context, now), result));
}

async function take(
  context: AuthContext,
  callback: URLSearchParams,
  pasted: boolean,
): Promise<{ readonly entry: PendingSignIn; readonly state: string | undefined }> {
  const given = callback.get("state") ?? undefined;
  const mayBeBare = pasted && given === undefined && !callback.has("iss");
  let entry: PendingSignIn | undefined;
  await context.file.change((now) => {
    const record = recordOf(context, now);
    const { pending = {}, ...rest } = record;
    const states = Object.keys(pending);
    const state = mayBeBare && states.length === 1 ? states[0] : given;
    entry = state !== undefined && Object.hasOwn(pending, state) ? pending[state] : undefined;
    if (!entry || state === undefined) return now && withoutEmpty(record);
    const { [state]: _, ...others } = pending;
    return withoutEmpty({ ...rest, ...(states.length > 1 && { pending: others }) });
  });
  if (entry) return { entry, state: given };
  const hint = mayBeBare ? "Give the whole address the browser ended at, or start" : "Start";
  throw new Fault(
    "denied",
    `This answer belongs to no sign-in to ${context.server} that still waits: it was used, it is too old, or it is not ours. ${hint} again: clawport auth ${context.server}`,
  );
}

export async function cancelSignIn(context: AuthContext, state: string): Promise<void> {
  await context.file.change((now) => {
    if (!now) return undefined;
    const { pending = {}, ...rest } = recordOf(context, now);
    const { [state]: _, ...others } = pending;
    return withoutEmpty({ ...rest, ...(Object.keys(others).length > 0 && { pending: others }) });
  });
}
