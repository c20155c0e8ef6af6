import { Fault, isFault } from "../../../core/fault.ts";
import type { AuthContext } from "./auth-context.ts";
import { authenticateClient } from "./client-authentication.ts";
import { clientOf, keptClient } from "./client-registration.ts";
import { listOf, requireKnown } from "./choose-authorization-server.ts";
import type { ConnectionAuth } from "./connection-auth.ts";
import { beginDeviceSignIn, type DeviceOptions, type DeviceSignIn } from "./grants/device-code.ts";
import { createObtain } from "./grants/obtain-tokens.ts";
import { keptPlace, readSwept } from "./kept-place.ts";
import { discoverResource } from "./protected-resource.ts";
import { createRequestAuth, type RequestParts } from "./request-auth.ts";
import { revokeTokens } from "./revoke.ts";
import {
  beginSignIn,
  type BeginOptions,
  type BegunSignIn,
  cancelSignIn,
  type FinishOptions,
  finishSignIn,
} from "./sign-in-flow.ts";
import { type AuthStatus, statusOf } from "./auth-status.ts";
import type { Credentials } from "./store/credentials.ts";
import { createTokenKeeper } from "./token-keeper.ts";

/** Everything about signing in to one server. */
export interface ServerAuth extends ConnectionAuth {
  /** The address to open in a browser; or nothing was needed, since the configuration says how to do without a person. */
  begin(options: BeginOptions): Promise<BegunSignIn | { readonly kind: "signed-in" }>;
  /** Takes the whole query of the callback; in another process than began it, too. */
  finish(callback: URLSearchParams, options?: FinishOptions): Promise<void>;
  beginDevice(options: DeviceOptions): Promise<DeviceSignIn>;
  /** Forgets a sign-in that waits. */
  cancel(state: string): Promise<void>;
  isWaiting(state: string): Promise<boolean>;
  /** Forgets everything, and tells the authorization server where it takes that (RFC 7009). */
  logout(): Promise<SignedOut>;
  status(): Promise<AuthStatus>;
}

export interface SignedOut {
  /** Whether there was a sign-in to forget. */
  readonly wasSignedIn: boolean;
  readonly revoked: boolean;
}

export function createServerAuth(context: AuthContext): ServerAuth {
  const { file, demand } = context;
  const obtain = createObtain(context);
  const keeper = createTokenKeeper(context, obtain);
  const parts: RequestParts = { context, keeper, isUnattended: obtain !== undefined, findMove };

  return {
    request: (method, url) => createRequestAuth(parts, method, url),
    standing() {
      const tokens = keeper.known()?.tokens;
      return { signedIn: tokens !== undefined, expiresAt: tokens?.expiresAt };
    },
    async begin(options) {
      if (!obtain) return beginSignIn(context, options);
      keeper.adopt(await file.change(obtain));
      return { kind: "signed-in" };
    },
    async finish(callback, options = {}) {
      keeper.adopt(await finishSignIn(context, callback, options));
      demand.scope = undefined;
    },
    async beginDevice(options) {
      const begun = await beginDeviceSignIn(context, options);
      const done = begun.done.then((written) => {
        keeper.adopt(written);
        demand.scope = undefined;
        return written;
      });
      done.catch(() => {});
      return { ...begun, done };
    },
    cancel: (state) => cancelSignIn(context, state),
    async isWaiting(state) {
      return Object.hasOwn((await readSwept(context))?.pending ?? {}, state);
    },
    async logout() {
      const kept = await takeAll();
      keeper.adopt(undefined);
      const client = clientOf(context, keptClient(kept, kept?.tokens?.issuer ?? ""));
      const place = keptPlace(kept);
      const wasSignedIn = kept?.issuer !== undefined;
      if (!kept?.tokens || !place?.server.metadata || !client) return { wasSignedIn, revoked: false };
      const { metadata } = place.server;
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
    status: async () => statusOf(await keeper.reload(), context.now()),
  };

  /** Under the lock: a refresh that is under way comes first, and it is the tokens it brought that are to be revoked. */
  async function takeAll(): Promise<Credentials | undefined> {
    let taken: Credentials | undefined;
    await file.change((kept) => {
      taken = kept;
      return undefined;
    });
    return taken;
  }

  /** Looks what the server says now; where that can't be had, what is kept counts. */
  async function findMove(signal: AbortSignal | undefined): Promise<Fault | undefined> {
    const pinned = keeper.known()?.issuer;
    const resource = await discoverResource(context, demand.challenge, signal).catch(() => undefined);
    if (pinned === undefined || !resource) return undefined;
    try {
      requireKnown(context.server, listOf(context, resource), pinned, undefined);
      return undefined;
    } catch (error) {
      if (!isFault(error)) throw error;
      return new Fault("unauthorized", error.message, { cause: error, detail: error.detail });
    }
  }
}
