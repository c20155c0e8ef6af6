import { Fault, isFault } from "../../../core/fault.ts";
import type { AuthContext } from "./auth-context.ts";
import type { ConnectionAuth } from "./connection-auth.ts";
import {
  discoverAuthorizationServer,
  namedAuthorizationServers,
  requirePinnedServer,
} from "./discovery/authorization-server.ts";
import { discoverResource } from "./discovery/protected-resource.ts";
import {
  beginSignIn,
  type BeginSignInOptions,
  cancelSignIn,
  finishSignIn,
  type FinishSignInOptions,
  type RedirectSignIn,
} from "./grants/authorization-code.ts";
import { beginDeviceSignIn, type DeviceSignIn, type DeviceSignInOptions } from "./grants/device-code.ts";
import { createUnattendedGrant } from "./grants/unattended-grant.ts";
import { authenticateClient } from "./registration/client-authentication.ts";
import { resolveClient, storedClient } from "./registration/client-registration.ts";
import { issuerOfTokens, readPruned } from "./store/credential-record.ts";
import type { Credentials } from "./store/credentials.ts";
import { type AuthorizedRequestOptions, createAuthorizedRequest } from "./tokens/authorized-request.ts";
import { revokeTokens } from "./tokens/revoke-tokens.ts";
import { createTokenCache } from "./tokens/token-cache.ts";

/** Everything about signing in to one server. */
export interface ServerAuth extends ConnectionAuth {
  /** Returns the URL to open in a browser, or `signed-in` if the configured grant needs no user. */
  begin(options: BeginSignInOptions): Promise<RedirectSignIn | { readonly kind: "signed-in" }>;
  /** Takes the whole query of the callback. Works in another process than `begin`. */
  finish(callback: URLSearchParams, options?: FinishSignInOptions): Promise<void>;
  beginDevice(options: DeviceSignInOptions): Promise<DeviceSignIn>;
  /** Forgets a sign-in that has not been finished. */
  cancel(state: string): Promise<void>;
  isWaiting(state: string): Promise<boolean>;
  /** Deletes everything that is stored, and revokes the tokens if the authorization server supports it (RFC 7009). */
  logout(): Promise<LogoutResult>;
  status(): Promise<AuthStatus>;
  /** The redirect URI that the stored client was registered with; another one needs another registration. */
  registeredRedirect(): Promise<string | undefined>;
}

export interface LogoutResult {
  /** Whether there was a sign-in to delete. */
  readonly wasSignedIn: boolean;
  readonly revoked: boolean;
}

export function createServerAuth(context: AuthContext): ServerAuth {
  const { file, demand } = context;
  const obtain = createUnattendedGrant(context);
  const cache = createTokenCache(context, obtain);
  const requestOptions: AuthorizedRequestOptions = {
    context,
    cache,
    isUnattended: obtain !== undefined,
    findMove,
    offersSignIn,
  };

  return {
    request: (method, url) => createAuthorizedRequest(requestOptions, method, url),
    state() {
      const tokens = cache.known()?.tokens;
      return { signedIn: tokens !== undefined, expiresAt: tokens?.expiresAt };
    },
    async begin(options) {
      if (!obtain) return beginSignIn(context, options);
      cache.adopt(await file.change(obtain));
      return { kind: "signed-in" };
    },
    async finish(callback, options = {}) {
      cache.adopt(await finishSignIn(context, callback, options));
      demand.scope = undefined;
    },
    async beginDevice(options) {
      const begun = await beginDeviceSignIn(context, options);
      const done = begun.done.then((written) => {
        cache.adopt(written);
        demand.scope = undefined;
        return written;
      });
      done.catch(() => {});
      return { ...begun, done };
    },
    cancel: (state) => cancelSignIn(context, state),
    async isWaiting(state) {
      return Object.hasOwn((await readPruned(context))?.pending ?? {}, state);
    },
    async logout() {
      const kept = await takeAll();
      cache.adopt(undefined);
      const client = resolveClient(context, storedClient(kept, kept?.tokens?.issuer ?? ""));
      const tokenIssuer = issuerOfTokens(kept);
      const wasSignedIn = kept?.issuer !== undefined;
      if (!kept?.tokens || !tokenIssuer?.server.metadata || !client) return { wasSignedIn, revoked: false };
      const { metadata } = tokenIssuer.server;
      const authenticate = authenticateClient(client, context.settings);
      const revoked = await revokeTokens({
        metadata,
        tokens: kept.tokens,
        fetch: context.fetch,
        log: context.log,
        addClientAuthentication: (headers, params) => authenticate(headers, params, metadata.issuer, metadata),
      });
      return { wasSignedIn, revoked };
    },
    status: async () => authStatusOf(await cache.reload(), context.now()),
    async registeredRedirect() {
      const kept = await readPruned(context);
      const client = storedClient(kept, kept?.issuer ?? "");
      return client && "redirect_uris" in client ? client.redirect_uris[0] : undefined;
    },
  };

  /** Under the lock: a running refresh finishes first, and its new tokens are the ones to revoke. */
  async function takeAll(): Promise<Credentials | undefined> {
    let taken: Credentials | undefined;
    await file.change((kept) => {
      taken = kept;
      return undefined;
    });
    return taken;
  }

  async function offersSignIn(signal: AbortSignal | undefined): Promise<boolean> {
    const isConfigured = Object.keys(context.settings).length > 0;
    if (isConfigured || demand.challenge?.resourceMetadata !== undefined) return true;
    try {
      const { authorizationServers } = await discoverResource(context, demand.challenge, signal);
      if (authorizationServers !== undefined) return true;
      return (await discoverAuthorizationServer(`${context.url.origin}/`, context, signal)) !== undefined;
    } catch {
      return true;
    }
  }

  /** Asks the server for its authorization server now; if it does not answer, the stored one counts. */
  async function findMove(signal: AbortSignal | undefined): Promise<Fault | undefined> {
    const pinned = cache.known()?.issuer;
    const resource = await discoverResource(context, demand.challenge, signal).catch(() => undefined);
    if (pinned === undefined || !resource) return undefined;
    try {
      requirePinnedServer(context.server, namedAuthorizationServers(context, resource), pinned, undefined);
      return undefined;
    } catch (error) {
      if (!isFault(error)) throw error;
      return new Fault("unauthorized", error.message, { cause: error, detail: error.detail });
    }
  }
}

/** The state of a sign-in, for people. Holds no secret. */
export interface AuthStatus {
  readonly kind: "none" | "signed-in" | "expired" | "needs-sign-in";
  readonly expiresAt?: number | undefined;
  /** When the user signed in; a refresh does not change it. */
  readonly signedInAt?: number | undefined;
  readonly scope?: string | undefined;
  readonly issuer?: string | undefined;
  /** Who is signed in, according to the authorization server. */
  readonly subject?: string | undefined;
}

function authStatusOf(kept: Credentials | undefined, now: number): AuthStatus {
  const { tokens, issuer, signedInAt } = kept ?? {};
  if (!tokens) return issuer === undefined ? { kind: "none" } : { kind: "needs-sign-in", issuer };
  const { expiresAt, scope, refreshToken, idToken } = tokens;
  const isOver = expiresAt !== undefined && expiresAt <= now && refreshToken === undefined;
  return {
    kind: isOver ? "expired" : "signed-in",
    expiresAt,
    signedInAt,
    scope,
    issuer,
    subject: subjectOf(idToken),
  };
}

/** Only shown, so that its signature does not matter: it came from the token endpoint itself. */
function subjectOf(idToken: string | undefined): string | undefined {
  try {
    const payload = JSON.parse(Buffer.from(idToken?.split(".")[1] ?? "", "base64url").toString("utf8")) as Record<
      string,
      unknown
    >;
    const name = [payload.email, payload.preferred_username, payload.name, payload.sub].find(
      (each) => typeof each === "string" && each !== "",
    );
    return (name as string | undefined)?.slice(0, 200);
  } catch {
    return undefined;
  }
}
