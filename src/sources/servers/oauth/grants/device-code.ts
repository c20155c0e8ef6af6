import { Fault } from "../../../../core/fault.ts";
import { quoted } from "../../../../core/text/peer-text.ts";
import { sleep } from "../../../../core/wait.ts";
import type { AuthContext } from "../auth-context.ts";
import { apiKeyNeeded } from "../connection-auth.ts";
import { chooseScope, runDiscovery } from "../discovery/run-discovery.ts";
import { judgeTarget } from "../net/judge-target.ts";
import { secretsInRequest, withholdEchoedSecrets } from "../oauth-fault.ts";
import { authenticateClient } from "../registration/client-authentication.ts";
import { deviceCodeGrantType } from "../registration/client-document.ts";
import { chooseClient, storableClient } from "../registration/client-registration.ts";
import { prunedRecord, withSignIn } from "../store/credential-record.ts";
import type { Credentials, StoredTokens } from "../store/credentials.ts";
import { openDpopKey } from "../tokens/dpop.ts";
import { grantTokens, lifetimeMs, type TokenRequest } from "../tokens/token-request.ts";

/** How long a code without `expires_in` is valid, and the longest time that any is polled for. */
const defaultCodeLifetimeMs = 600_000;
const maxCodeLifetimeMs = 3_600_000;

export interface DeviceSignInOptions {
  readonly scope?: string | undefined;
  readonly issuer?: string | undefined;
  readonly signal: AbortSignal;
}

/** A sign-in on another device (RFC 8628). */
export interface DeviceSignIn {
  readonly verificationUri: string;
  readonly verificationUriComplete?: string | undefined;
  readonly userCode: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Resolves when the user has signed in there. */
  readonly done: Promise<Credentials | undefined>;
}

export async function beginDeviceSignIn(context: AuthContext, options: DeviceSignInOptions): Promise<DeviceSignIn> {
  const { signal } = options;
  const kept = await context.file.read();
  const found = await runDiscovery(context, { pinned: kept?.issuer, accepted: options.issuer, signal });
  const { tokenIssuer, dpop } = found;
  const endpoint = (tokenIssuer.server.metadata as Record<string, unknown> | undefined)?.device_authorization_endpoint;
  if (!tokenIssuer.server.metadata) throw apiKeyNeeded(context.server);
  if (typeof endpoint !== "string") {
    throw new Fault(
      "denied",
      `${quoted(tokenIssuer.server.issuer)} does not support device codes. Run \`clawport auth ${context.server}\` to sign in with a browser.`,
    );
  }
  const scope = chooseScope(context, found, { kept, besides: options.scope, offline: true });
  const grantTypes = [deviceCodeGrantType, "refresh_token"];
  const client = await chooseClient(context, { server: tokenIssuer.server, grantTypes, scope, kept, signal });
  const key = dpop ? await openDpopKey(kept?.dpopKey) : undefined;
  const request = { tokenIssuer, client, dpop: key?.session, scope, signal };
  const issued = await requestDeviceCode(context, endpoint, request);
  const done = pollForTokens(context, request, issued).then((tokens) => {
    const result = { tokenIssuer, client: storableClient(context, client), tokens, dpopKey: key?.jwk };
    return context.file.change((now) => withSignIn(prunedRecord(context, now), result));
  });
  // The caller may await the outcome later.
  done.catch(() => {});
  const { verificationUri, verificationUriComplete, userCode, expiresAt } = issued;
  return { verificationUri, verificationUriComplete, userCode, expiresAt, done };
}

interface IssuedDeviceCode extends Omit<DeviceSignIn, "done"> {
  readonly deviceCode: string;
  readonly intervalMs: number;
}

async function requestDeviceCode(
  context: AuthContext,
  endpoint: string,
  request: TokenRequest,
): Promise<IssuedDeviceCode> {
  const { client, tokenIssuer, scope, signal } = request;
  const headers = new Headers({ accept: "application/json", "content-type": "application/x-www-form-urlencoded" });
  const params = new URLSearchParams({ ...(scope !== undefined && { scope }) });
  if (tokenIssuer.resource !== undefined) params.set("resource", tokenIssuer.resource);
  await authenticateClient(client, context.settings)(headers, params, endpoint, tokenIssuer.server.metadata);
  if (!headers.has("authorization")) params.set("client_id", client.client_id);
  const message = { method: "POST", headers, body: params };
  const response = await context.fetch(endpoint, { ...message, ...(signal && { signal }) });
  const answer = (await response.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
  const secrets = [...secretsInRequest(message), ...(client.client_secret === undefined ? [] : [client.client_secret])];
  return parseDeviceCode(context, answer, response.ok, secrets);
}

function parseDeviceCode(
  { url, server, now }: AuthContext,
  answer: Readonly<Record<string, unknown>>,
  isOk: boolean,
  secrets: readonly string[],
): IssuedDeviceCode {
  const { device_code: deviceCode, user_code: userCode, verification_uri: address, expires_in: life } = answer;
  const complete = answer.verification_uri_complete;
  if (!isOk || typeof deviceCode !== "string" || typeof userCode !== "string" || !isSafeAddress(address, url)) {
    const why =
      typeof answer.error === "string" ? ` (${quoted(withholdEchoedSecrets(answer.error, secrets), 100)})` : "";
    throw new Fault("denied", `The authorization server of ${server} did not issue a device code${why}.`);
  }
  const interval = typeof answer.interval === "number" && answer.interval > 0 ? answer.interval : 5;
  return {
    deviceCode,
    userCode: userCode.slice(0, 100),
    verificationUri: address,
    verificationUriComplete: isSafeAddress(complete, url) ? complete : undefined,
    expiresAt: now() + Math.min(lifetimeMs(life) ?? defaultCodeLifetimeMs, maxCodeLifetimeMs),
    intervalMs: Math.min(interval, 60) * 1000,
  };
}

/** The user is sent there. */
function isSafeAddress(address: unknown, configured: URL): address is string {
  return typeof address === "string" && judgeTarget(address, configured).pass;
}

async function pollForTokens(
  context: AuthContext,
  request: TokenRequest,
  issued: IssuedDeviceCode,
): Promise<StoredTokens> {
  const params = new URLSearchParams({ grant_type: deviceCodeGrantType, device_code: issued.deviceCode });
  let waitMs = issued.intervalMs;
  while (context.now() < issued.expiresAt) {
    await sleep(waitMs, request.signal);
    try {
      return await grantTokens(context, request, new URLSearchParams(params));
    } catch (error) {
      const said = error instanceof Fault ? (error.detail as { error?: unknown } | undefined)?.error : undefined;
      // RFC 8628 § 3.5.
      if (said === "slow_down") waitMs += 5000;
      else if (said !== "authorization_pending" && !(error instanceof Fault && error.code === "unavailable"))
        throw error;
    }
  }
  throw new Fault(
    "timeout",
    `The code was not entered in time. Run \`clawport auth ${context.server} --device\` to try again.`,
  );
}
