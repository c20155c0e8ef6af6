import { Fault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { openStateFile } from "../../core/files/state-file.ts";
import { isRecord } from "../../core/is-record.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { hashToken } from "../../core/secrets/crypto.ts";
import { createSecret, type TakenLink } from "./sign-in-link.ts";

/** A browser that has signed in. Only hashes are kept. */
export interface ConsoleSession {
  /** The hash of its cookie. */
  readonly id: string;
  /** The hash of what it sends in the header. */
  readonly secret: string;
  /** Whether it may change anything, see `createSignInLink`. */
  readonly terminal: boolean;
  /** The key of the main token when it began: a reset ends it. */
  readonly tokenKey: string;
  /** Milliseconds since the epoch. */
  readonly begun: number;
  readonly used: number;
}

export interface ConsoleSessions {
  /** Returns the cookie's value, this once. */
  begin(link: TakenLink): Promise<string>;
  /** The session of a request that has one of these cookies, and the secret with it. */
  match(cookies: readonly string[], secret: string): Promise<ConsoleSession | undefined>;
  isValid(session: Pick<ConsoleSession, "id">): boolean;
  end(session: ConsoleSession): Promise<void>;
  /** The session has reset the main token itself: it goes on with the next one. */
  keepThroughReset(session: ConsoleSession): void;
}

export interface ConsoleSessionsOptions {
  readonly home: Pick<Home, "file">;
  /** Changes with the main token. */
  tokenKey(): string | undefined;
  readonly log?: Log;
  readonly clock?: () => number;
}

const idleMs = 12 * 60 * 60_000;
const longestMs = 7 * 24 * 60 * 60_000;
const mostSessions = 20;
/** Its use is written down this often. */
const noteEveryMs = 5 * 60_000;
const resetMs = 10_000;

export function openConsoleSessions(options: ConsoleSessionsOptions): ConsoleSessions {
  const { home, tokenKey, log = silentLog, clock = Date.now } = options;
  const path = home.file("console", "sessions.json");
  const file = openStateFile<readonly ConsoleSession[]>({ path, parse: parseSessions, empty: [], log });
  /** Of this process, which is the only hub of its state folder. */
  let known = new Map<string, ConsoleSession>();
  let reading: Promise<void> | undefined;
  let saving: Promise<void> | undefined;
  /** Those that reset the token a moment ago, and until when. */
  const resetting = new Map<string, number>();

  const loaded = (): Promise<void> => (reading ??= load());

  async function load(): Promise<void> {
    known = new Map((await file.read()).map((session) => [session.id, session]));
  }

  async function save(): Promise<void> {
    const valid = [...known.values()].filter(isValid).toSorted((a, b) => b.used - a.used);
    known = new Map(valid.slice(0, mostSessions).map((session) => [session.id, session]));
    await file.update(() => [...known.values()]);
  }

  function isValid({ id }: Pick<ConsoleSession, "id">): boolean {
    const session = known.get(id);
    const key = tokenKey();
    const now = clock();
    if (session === undefined || key === undefined) return false;
    if (now - session.used > idleMs || now - session.begun > longestMs) return false;
    if (session.tokenKey === key) return true;
    if ((resetting.get(id) ?? 0) < now) return false;
    known.set(id, { ...session, tokenKey: key });
    saving = save().catch((error: unknown) => log.warn("could not save the sessions of the console", { error }));
    return true;
  }

  return {
    isValid,
    async begin({ secret, terminal }) {
      await loaded();
      const key = tokenKey();
      if (key === undefined) throw new Fault("unavailable", "The token file is being replaced. Try again in a second.");
      const cookie = createSecret();
      const [id, now] = [hashToken(cookie), clock()];
      known.set(id, { id, secret, terminal, tokenKey: key, begun: now, used: now });
      await save();
      return cookie;
    },
    async match(cookies, secret) {
      await loaded();
      const hashed = hashToken(secret);
      const found = cookies
        .map((cookie) => known.get(hashToken(cookie)))
        .find((session) => session?.secret === hashed && isValid(session));
      if (found === undefined) return undefined;
      await saving;
      const now = clock();
      if (now - found.used >= noteEveryMs) {
        known.set(found.id, { ...(known.get(found.id) ?? found), used: now });
        await save();
      }
      return known.get(found.id);
    },
    async end({ id }) {
      await loaded();
      if (known.delete(id)) await save();
    },
    keepThroughReset: ({ id }) => void resetting.set(id, clock() + resetMs),
  };
}

function parseSessions(value: unknown): readonly ConsoleSession[] {
  if (Array.isArray(value) && value.every(isSession)) return value;
  throw new Fault("corrupt", "This is not a list of sessions.");
}

function isSession(value: unknown): value is ConsoleSession {
  if (!isRecord(value)) return false;
  const { id, secret, tokenKey, terminal, begun, used } = value;
  return (
    [id, secret, tokenKey].every((each) => typeof each === "string") &&
    typeof terminal === "boolean" &&
    typeof begun === "number" &&
    typeof used === "number"
  );
}
