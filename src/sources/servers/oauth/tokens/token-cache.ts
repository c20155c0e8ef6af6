import { Fault, isFault } from "../../../../core/fault.ts";
import { orAborted } from "../../../../core/wait.ts";
import type { AuthContext } from "../auth-context.ts";
import { discoverAuthorizationServer } from "../discovery/authorization-server.ts";
import { resolveClient, storedClient } from "../registration/client-registration.ts";
import { issuerOfTokens, prunedRecord, readPruned } from "../store/credential-record.ts";
import type { Credentials, StoredTokens } from "../store/credentials.ts";
import { type DpopKey, isDpopBound, openDpopKey } from "./dpop.ts";
import { refreshTokens, type TokenIssuer } from "./token-request.ts";
import { isSameJson } from "../../../../core/is-same-json.ts";

/** The tokens of one server, renewed by one caller at a time across all processes. */
export interface TokenCache {
  /** What was last read or written. */
  known(): Credentials | undefined;
  /** Whether there are other tokens than these by now, also from other processes. */
  hasOthers(than: StoredTokens | undefined): Promise<boolean>;
  /** The tokens to send, renewed first if they are about to expire; undefined if there are none. */
  current(signal?: AbortSignal): Promise<StoredTokens | undefined>;
  /** Other tokens than the refused ones; undefined if only a sign-in brings them. */
  renew(refused: StoredTokens | undefined, signal?: AbortSignal): Promise<StoredTokens | undefined>;
  /** Reads the stored sign-in again. */
  reload(): Promise<Credentials | undefined>;
  /** Keeps what was just written. */
  adopt(written: Credentials | undefined): void;
  dpop(): Promise<DpopKey | undefined>;
}

/** Gets new tokens without the user, if the configuration says how. */
export type UnattendedGrant = (kept: Credentials | undefined) => Promise<Credentials>;

/** Tokens with less time left are renewed before they are sent. */
const renewalMarginMs = 60_000;

export function createTokenCache(context: AuthContext, obtain: UnattendedGrant | undefined): TokenCache {
  const { file, log, now } = context;
  let known: Credentials | undefined;
  let version = 0;
  let renewing: Promise<StoredTokens | undefined> | undefined;
  let key: { readonly jwk: unknown; readonly open: Promise<DpopKey> } | undefined;

  return { known: () => known, hasOthers, current, renew, reload, adopt, dpop };

  async function hasOthers(than: StoredTokens | undefined): Promise<boolean> {
    const isOther = () => known?.tokens !== undefined && known.tokens.accessToken !== than?.accessToken;
    if (isOther()) return true;
    await reload();
    return isOther();
  }

  async function current(signal?: AbortSignal): Promise<StoredTokens | undefined> {
    // The user may have signed in from another process.
    if (!known?.tokens) await reload();
    const tokens = known?.tokens;
    if (!tokens || !expiresSoon(tokens, now())) return tokens;
    if (tokens.refreshToken === undefined && !obtain) return tokens;
    try {
      return await renew(tokens, signal);
    } catch (error) {
      if (isExpired(tokens, now()) || signal?.aborted || !isTransient(error)) throw error;
      log.info("could not renew the token yet", { reason: error.message });
      return tokens;
    }
  }

  async function renew(refused: StoredTokens | undefined, signal?: AbortSignal): Promise<StoredTokens | undefined> {
    for (;;) {
      if (known?.tokens && known.tokens.accessToken !== refused?.accessToken) return known.tokens;
      // A cancelled request must not start a renewal.
      signal?.throwIfAborted();
      const isOwn = renewing === undefined;
      // A cancelled request does not end the renewal for others, nor lose a token that is being exchanged.
      renewing ??= renewAlone(refused).finally(() => (renewing = undefined));
      const tokens = await (signal ? orAborted(renewing, signal) : renewing);
      if (isOwn || tokens === undefined || tokens.accessToken !== refused?.accessToken) return tokens;
    }
  }

  /** Under the lock of the file: the second caller finds what the first one got, and a refresh token is used once. */
  async function renewAlone(refused: StoredTokens | undefined): Promise<StoredTokens | undefined> {
    const written = await file.change(async (kept) => {
      const others = kept?.tokens;
      if (others && others.accessToken !== refused?.accessToken && !isExpired(others, now())) return kept;
      if (obtain) return obtain(kept);
      return kept && others?.refreshToken !== undefined ? refreshCredentials(context, kept, others) : kept;
    });
    adopt(written);
    const tokens = written?.tokens;
    return tokens?.accessToken === refused?.accessToken ? undefined : tokens;
  }

  async function reload(): Promise<Credentials | undefined> {
    const before = version;
    const read = await readPruned(context);
    // Anything written meanwhile is newer.
    if (version === before) adopt(read);
    return known;
  }

  function adopt(written: Credentials | undefined): void {
    known = written;
    version++;
  }

  async function dpop(): Promise<DpopKey | undefined> {
    const jwk = known?.dpopKey;
    if (jwk === undefined) return undefined;
    if (!isSameJson(key?.jwk, jwk)) key = { jwk, open: openDpopKey(jwk) };
    return key?.open;
  }
}

/** Whether the authorization server may work later. */
function isTransient(error: unknown): error is Fault {
  return isFault(error) && (error.row.retry || error.code === "timeout");
}

/** Half the lifetime at most, or a token that is valid for a minute would be renewed before every request. */
function expiresSoon({ expiresAt, receivedAt }: StoredTokens, now: number): boolean {
  return expiresAt !== undefined && expiresAt - now < Math.min(renewalMarginMs, (expiresAt - receivedAt) / 2);
}

function isExpired({ expiresAt }: StoredTokens, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** Exchanges the tokens for new ones. If that is refused for good they are dropped: only a sign-in brings others. */
async function refreshCredentials(context: AuthContext, kept: Credentials, tokens: StoredTokens): Promise<Credentials> {
  const tokenIssuer = issuerOfTokens(kept);
  const client = resolveClient(context, storedClient(kept, tokens.issuer));
  if (!tokenIssuer || !client) throw new Fault("internal", `The issuer of the token of ${context.server} is unknown.`);
  const dpop = isDpopBound(tokens) ? (await openDpopKey(kept.dpopKey)).session : undefined;
  const record = prunedRecord(context, kept);
  const refreshAt = (at: TokenIssuer) => refreshTokens(context, { tokenIssuer: at, client, dpop }, tokens);
  try {
    return { ...record, tokens: await refreshAt(tokenIssuer) };
  } catch (error) {
    const moved = isFault(error, "unavailable") ? await findMovedEndpoint(context, tokenIssuer) : undefined;
    if (moved) return { ...record, discovery: moved, tokens: await refreshAt(moved) };
    if (!isFault(error, "unauthorized")) throw error;
    context.log.info("the authorization server refused to renew the token", { reason: error.message });
    const { tokens: _, ...rest } = record;
    return rest;
  }
}

/** The same authorization server, if its token endpoint has moved. */
async function findMovedEndpoint(context: AuthContext, tokenIssuer: TokenIssuer): Promise<TokenIssuer | undefined> {
  const server = await discoverAuthorizationServer(tokenIssuer.server.issuer, context, undefined).catch(
    () => undefined,
  );
  const isMoved = server && server.metadata?.token_endpoint !== tokenIssuer.server.metadata?.token_endpoint;
  return isMoved ? { ...tokenIssuer, server } : undefined;
}
