import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../../../core/fault.ts";
import { quoted } from "../../../../core/quoted.ts";
import type { AuthContext } from "../auth-context.ts";
import { authenticateClient } from "../client-authentication.ts";
import { chooseClient, keepableClient } from "../client-registration.ts";
import { openDpopKey } from "../dpop.ts";
import { secretsIn } from "../echo.ts";
import { chooseScope, findPlace } from "../find-place.ts";
import { recordOf, withSignIn } from "../kept-place.ts";
import { lifetimeMs } from "../lifetime.ts";
import { judgeTarget } from "../net/judge-target.ts";
import { sayable } from "../oauth-fault.ts";
import type { Credentials, StoredTokens } from "../store/credentials.ts";
import { grantTokens, type TokenRequest } from "../token-request.ts";

const grantType = "urn:ietf:params:oauth:grant-type:device_code";
/** How long a code is good that does not say so, and how long any is waited for. */
const usualMs = 600_000;
const longestMs = 3_600_000;

export interface DeviceOptions {
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
  /** Resolves when the person is done there. */
  readonly done: Promise<Credentials | undefined>;
}

export async function beginDeviceSignIn(context: AuthContext, options: DeviceOptions): Promise<DeviceSignIn> {
  const { signal } = options;
  const kept = await context.file.read();
  const found = await findPlace(context, { pinned: kept?.issuer, accepted: options.issuer, signal });
  const { place, dpop } = found;
  const endpoint = (place.server.metadata as Record<string, unknown> | undefined)?.device_authorization_endpoint;
  if (typeof endpoint !== "string") {
    throw new Fault(
      "denied",
      `${quoted(place.server.issuer)} has no sign-in by device code. Use a browser: clawport auth ${context.server}`,
    );
  }
  const scope = chooseScope(context, found, { kept, besides: options.scope, offline: true });
  const grantTypes = [grantType, "refresh_token"];
  const client = await chooseClient(context, { server: place.server, grantTypes, scope, kept, signal });
  const key = dpop ? await openDpopKey(kept?.dpopKey) : undefined;
  const request = { place, client, dpop: key?.session, scope, signal };
  const asked = await askForCode(context, endpoint, request);
  const done = poll(context, request, asked).then((tokens) => {
    const result = { place, client: keepableClient(context, client), tokens, dpopKey: key?.jwk };
    return context.file.change((now) => withSignIn(recordOf(context, now), result));
  });
  // Whoever shows the code may look at the outcome later.
  done.catch(() => {});
  const { verificationUri, verificationUriComplete, userCode, expiresAt } = asked;
  return { verificationUri, verificationUriComplete, userCode, expiresAt, done };
}

interface AskedCode extends Omit<DeviceSignIn, "done"> {
  readonly deviceCode: string;
  readonly intervalMs: number;
}

async function askForCode(context: AuthContext, endpoint: string, request: TokenRequest): Promise<AskedCode> {
  const { client, place, scope, signal } = request;
  const headers = new Headers({ accept: "application/json", "content-type": "application/x-www-form-urlencoded" });
  const params = new URLSearchParams({ ...(scope !== undefined && { scope }) });
  if (place.resource !== undefined) params.set("resource", place.resource);
  await authenticateClient(client, context.settings)(headers, params, endpoint, place.server.metadata);
  if (!headers.has("authorization")) params.set("client_id", client.client_id);
  const message = { method: "POST", headers, body: params };
  const response = await context.fetch(endpoint, { ...message, ...(signal && { signal }) });
  const answer = (await response.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
  const secrets = [...secretsIn(message), ...(client.client_secret === undefined ? [] : [client.client_secret])];
  return readCode(context, answer, response.ok, secrets);
}

function readCode(
  { url, server, now }: AuthContext,
  answer: Readonly<Record<string, unknown>>,
  isOk: boolean,
  secrets: readonly string[],
): AskedCode {
  const { device_code: deviceCode, user_code: userCode, verification_uri: address, expires_in: life } = answer;
  const complete = answer.verification_uri_complete;
  if (!isOk || typeof deviceCode !== "string" || typeof userCode !== "string" || !isSafe(address, url)) {
    const why = typeof answer.error === "string" ? ` (${quoted(sayable(answer.error, secrets), 100)})` : "";
    throw new Fault("denied", `The authorization server of ${server} gave no device code${why}.`);
  }
  const interval = typeof answer.interval === "number" && answer.interval > 0 ? answer.interval : 5;
  return {
    deviceCode,
    userCode: userCode.slice(0, 100),
    verificationUri: address,
    verificationUriComplete: isSafe(complete, url) ? complete : undefined,
    expiresAt: now() + Math.min(lifetimeMs(life) ?? usualMs, longestMs),
    intervalMs: Math.min(interval, 60) * 1000,
  };
}

/** A person is sent there. */
function isSafe(address: unknown, configured: URL): address is string {
  return typeof address === "string" && judgeTarget(address, configured).pass;
}

async function poll(context: AuthContext, request: TokenRequest, asked: AskedCode): Promise<StoredTokens> {
  const params = new URLSearchParams({ grant_type: grantType, device_code: asked.deviceCode });
  let waitMs = asked.intervalMs;
  while (context.now() < asked.expiresAt) {
    await sleep(waitMs, undefined, { ...(request.signal && { signal: request.signal }) });
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
  throw new Fault("timeout", `Nobody entered the code in time. Try again: clawport auth ${context.server} --device`);
}
