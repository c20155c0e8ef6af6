import { Fault } from "../../core/fault.ts";
import { isSameSecret } from "../../core/secrets/crypto.ts";
import { deriveKey, macOf } from "./proof-keys.ts";
import { createSeenCounters, type SeenCounters } from "./seen-counters.ts";
import { createSecret, type TakenLink } from "./sign-in-link.ts";
import {
  answerText,
  parseSignature,
  requestText,
  sessionKeyInfo,
  sessionSalt,
  signedInText,
  type SignedRequest,
} from "./signed-texts.ts";

/** A browser that has signed in. */
export interface ConsoleSession {
  /** Not a secret: what proves it is a key that only the browser and this process have. */
  readonly id: string;
  /** Whether it may change anything, see `createSignInLink`. */
  readonly terminal: boolean;
}

/** What the page gets when it has signed in, from which it makes the same key. */
export interface BegunSession {
  readonly session: string;
  readonly proof: string;
}

/** `session` is undefined if it has ended, or the request came before. The proof tells the page that this is its hub. */
export interface MatchedRequest {
  readonly session: ConsoleSession | undefined;
  readonly bodyHash: string;
  readonly proof: string;
}

/** Sessions are only in memory: they end with the process, so what a later holder of the port was sent opens nothing. */
export interface ConsoleSessions {
  begin(link: TakenLink, nonce: string): BegunSession;
  /** Undefined if the signature is not that of a session of this hub, or is for another request. */
  match(header: unknown, request: Pick<SignedRequest, "method" | "path">): MatchedRequest | undefined;
  isValid(session: Pick<ConsoleSession, "id">): boolean;
  end(session: ConsoleSession): void;
  /** The session has reset the main token itself: it goes on with the next one. */
  keepThroughReset(session: ConsoleSession): void;
}

export interface ConsoleSessionsOptions {
  /** Changes with the main token. */
  tokenKey(): string | undefined;
  readonly clock?: () => number;
}

interface KeptSession extends ConsoleSession {
  readonly key: Buffer;
  readonly channels: Map<string, SeenCounters>;
  readonly begun: number;
  used: number;
  /** The key of the main token: a reset ends the session. */
  tokenKey: string;
  /** Until when a reset of the token is its own doing. */
  resetUntil: number;
  /** It can still be told so. */
  hasEnded: boolean;
}

const idleMs = 12 * 60 * 60_000;
const maxMs = 7 * 24 * 60 * 60_000;
const maxSessions = 20;
/** Loads of the page. None is forgotten: its requests could be sent again. */
const maxChannels = 4096;
const resetMs = 10_000;

export function createConsoleSessions({ tokenKey, clock = Date.now }: ConsoleSessionsOptions): ConsoleSessions {
  const known = new Map<string, KeptSession>();

  function isValid({ id }: Pick<ConsoleSession, "id">): boolean {
    const session = known.get(id);
    const key = tokenKey();
    const now = clock();
    if (session === undefined || session.hasEnded || key === undefined) return false;
    if (now - session.used > idleMs || now - session.begun > maxMs) return false;
    if (session.tokenKey === key) return true;
    if (session.resetUntil < now) return false;
    session.tokenKey = key;
    return true;
  }

  /** Those that have ended go first, then the one that was not used for longest. */
  function makeRoom(): void {
    const byUse = [...known.values()].toSorted((a, b) => a.used - b.used);
    for (const session of [...byUse.filter((each) => !isValid(each)), ...byUse])
      if (known.size >= maxSessions) known.delete(session.id);
  }

  return {
    isValid,
    begin({ secret, terminal }, nonce) {
      const key = tokenKey();
      if (key === undefined) throw new Fault("unavailable", "The token file is being replaced. Try again in a second.");
      makeRoom();
      const [id, now] = [createSecret(), clock()];
      const own = deriveKey(secret, sessionSalt(nonce, id), sessionKeyInfo);
      const times = { begun: now, used: now, resetUntil: 0 };
      known.set(id, { id, terminal, key: own, tokenKey: key, channels: new Map(), hasEnded: false, ...times });
      return { session: id, proof: macOf(own, signedInText(id)) };
    },
    match(header, { method, path }) {
      const given = parseSignature(header);
      const session = given && known.get(given.session);
      if (given === undefined || session === undefined) return undefined;
      const { bodyHash, mac } = given;
      if (!isSameSecret(mac, macOf(session.key, requestText({ ...given, method, path })))) return undefined;
      const isIn = isFirst(session, given) && isValid(session);
      if (isIn) session.used = clock();
      return { session: isIn ? session : undefined, bodyHash, proof: macOf(session.key, answerText(given)) };
    },
    end({ id }) {
      const session = known.get(id);
      if (session !== undefined) session.hasEnded = true;
    },
    keepThroughReset({ id }) {
      const session = known.get(id);
      if (session !== undefined) session.resetUntil = clock() + resetMs;
    },
  };
}

function isFirst({ channels }: KeptSession, { channel, counter }: Pick<SignedRequest, "channel" | "counter">): boolean {
  const seen = channels.get(channel) ?? createSeenCounters();
  if (channels.size < maxChannels) channels.set(channel, seen);
  return channels.has(channel) && seen.take(counter);
}
