import { type Fault, isFault } from "../../../core/fault.ts";
import { orAborted } from "../../../core/or-aborted.ts";
import type { AuthContext } from "./auth-context.ts";
import { type DpopKey, openDpopKey } from "./dpop.ts";
import { readSwept } from "./kept-place.ts";
import { refreshCredentials } from "./refresh-credentials.ts";
import type { Credentials, StoredTokens } from "./store/credentials.ts";

/** The tokens of one server: at hand, and renewed by one caller at a time, in this process and in all others. */
export interface TokenKeeper {
  /** The last that was seen, without looking. */
  known(): Credentials | undefined;
  /** Whether there are others than these by now, which others may have brought. */
  hasOthers(than: StoredTokens | undefined): Promise<boolean>;
  /** Those to send: renewed first where they are about to expire. Nothing where there are none. */
  current(signal?: AbortSignal): Promise<StoredTokens | undefined>;
  /** Others than those that were refused. Nothing where only a sign-in brings them. */
  renew(refused: StoredTokens | undefined, signal?: AbortSignal): Promise<StoredTokens | undefined>;
  /** Looks at what is kept now. */
  reload(): Promise<Credentials | undefined>;
  /** Notes what was just written. */
  adopt(written: Credentials | undefined): void;
  dpop(): Promise<DpopKey | undefined>;
}

/** Brings new tokens without a person, where the configuration says how. */
export type Obtain = (kept: Credentials | undefined) => Promise<Credentials>;

/** Tokens with less time left are renewed before they are sent. */
const leastMs = 60_000;

export function createTokenKeeper(context: AuthContext, obtain: Obtain | undefined): TokenKeeper {
  const { file, log, now } = context;
  let known: Credentials | undefined;
  let version = 0;
  let flight: Promise<StoredTokens | undefined> | undefined;
  let key: { readonly jwk: unknown; readonly open: Promise<DpopKey> } | undefined;

  return { known: () => known, hasOthers, current, renew, reload, adopt, dpop };

  async function hasOthers(than: StoredTokens | undefined): Promise<boolean> {
    const isOther = () => known?.tokens !== undefined && known.tokens.accessToken !== than?.accessToken;
    if (isOther()) return true;
    await reload();
    return isOther();
  }

  async function current(signal?: AbortSignal): Promise<StoredTokens | undefined> {
    // Somebody may have signed in elsewhere.
    if (!known?.tokens) await reload();
    const tokens = known?.tokens;
    if (!tokens || !isShort(tokens, now())) return tokens;
    if (tokens.refreshToken === undefined && !obtain) return tokens;
    try {
      return await renew(tokens, signal);
    } catch (error) {
      if (isLate(tokens, now()) || signal?.aborted || !isPassing(error)) throw error;
      log.info("the token could not be renewed yet", { reason: error.message });
      return tokens;
    }
  }

  async function renew(refused: StoredTokens | undefined, signal?: AbortSignal): Promise<StoredTokens | undefined> {
    for (;;) {
      if (known?.tokens && known.tokens.accessToken !== refused?.accessToken) return known.tokens;
      // Whoever is being stopped starts nothing that outlives them.
      signal?.throwIfAborted();
      const isOwn = flight === undefined;
      // Whoever gives up waiting does not end it for the others, nor lose a token that is being exchanged for the next.
      flight ??= renewAlone(refused).finally(() => (flight = undefined));
      const tokens = await (signal ? orAborted(flight, signal) : flight);
      if (isOwn || tokens === undefined || tokens.accessToken !== refused?.accessToken) return tokens;
    }
  }

  /** Under the lock of the file: whoever comes second finds what the first one got, and a refresh token is spent once. */
  async function renewAlone(refused: StoredTokens | undefined): Promise<StoredTokens | undefined> {
    const written = await file.change(async (kept) => {
      const others = kept?.tokens;
      if (others && others.accessToken !== refused?.accessToken && !isLate(others, now())) return kept;
      if (obtain) return obtain(kept);
      return kept && others?.refreshToken !== undefined ? refreshCredentials(context, kept, others) : kept;
    });
    adopt(written);
    const tokens = written?.tokens;
    return tokens?.accessToken === refused?.accessToken ? undefined : tokens;
  }

  async function reload(): Promise<Credentials | undefined> {
    const before = version;
    const read = await readSwept(context);
    // What was written meanwhile is newer.
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
    if (JSON.stringify(key?.jwk) !== JSON.stringify(jwk)) key = { jwk, open: openDpopKey(jwk) };
    return key?.open;
  }
}

/** Whether the authorization server may be better another time. */
function isPassing(error: unknown): error is Fault {
  return isFault(error) && (error.row.retry || error.code === "timeout");
}

/** A token that lives for a minute in all would otherwise be renewed before every request. */
function isShort({ expiresAt, receivedAt }: StoredTokens, now: number): boolean {
  return expiresAt !== undefined && expiresAt - now < Math.min(leastMs, (expiresAt - receivedAt) / 2);
}

function isLate({ expiresAt }: StoredTokens, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}
