import { timingSafeEqual } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { withFileLock } from "../../core/files/file-lock.ts";
import { writeFileAtomic } from "../../core/files/write-file-atomic.ts";
import type { Log } from "../../core/log.ts";
import { Secret } from "../../core/secrets/secret.ts";
import { type HubKeyName, mainTokenName, type TokenMatch } from "./gate.ts";
import { createToken } from "./main-token.ts";

/** Where the keys are kept, and the log for what happens to them. */
export interface HubKeyLocation {
  readonly home: { file(...parts: string[]): string };
  readonly log: Log;
}

/** The keys of the owner's own processes. They count at the hub's socket only, and are in no file of a client. */
export interface HubKeys {
  match(presented: string): TokenMatch | undefined;
}

export function hubKeyPath({ home }: Pick<HubKeyLocation, "home">, name: HubKeyName): string {
  return home.file(`${name}.key`);
}

/** The key in the file; undefined if there is none, or if the file holds something else. */
export function readHubKey(path: string): Secret | undefined {
  try {
    const text = readFileSync(path, "utf8").trim();
    return /^[\w-]{43}$/.test(text) ? new Secret(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Makes the keys that are missing. One that other users could read is replaced: every process reads it anew. */
export async function openHubKeys(location: HubKeyLocation): Promise<HubKeys> {
  const control = Buffer.from((await ensureKey(location, "control")).reveal());
  const relay = Buffer.from((await ensureKey(location, "relay")).reveal());
  return {
    match(presented) {
      const bytes = Buffer.from(presented);
      if (isSame(bytes, control)) return controlMatch;
      return isSame(bytes, relay) ? relayMatch : undefined;
    },
  };
}

/** Both act for the owner, whose token is the main one. */
const controlMatch: TokenMatch = Object.freeze({ name: mainTokenName, key: "control" });
const relayMatch: TokenMatch = Object.freeze({ name: mainTokenName, key: "relay" });

const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

async function ensureKey(location: HubKeyLocation, name: HubKeyName): Promise<Secret> {
  const path = hubKeyPath(location, name);
  const { log } = location;
  const found = readPrivateKey(path);
  if (found !== undefined) return found;
  return withFileLock(`${path}.lock`, { log }, async () => {
    const existing = readPrivateKey(path);
    if (existing !== undefined) return existing;
    const made = createToken();
    await writeFileAtomic(path, `${made.reveal()}\n`, { mode: 0o600 });
    return made;
  });
}

function readPrivateKey(path: string): Secret | undefined {
  const key = readHubKey(path);
  if (key === undefined || process.platform === "win32") return key;
  return (statSync(path).mode & 0o077) === 0 ? key : undefined;
}
