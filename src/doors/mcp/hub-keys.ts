import { readFileSync, statSync } from "node:fs";
import { cancelPendingWrite } from "../../core/files/write-when-room.ts";
import type { Log } from "../../core/log.ts";
import { isSameSecret } from "../../core/secrets/crypto.ts";
import { Secret } from "../../core/secrets/secret.ts";
import { type HubKeyName, mainTokenName, type TokenMatch } from "./gate.ts";
import { makeHubToken } from "./main-token.ts";

/** Where the keys are kept, and the log for what happens to them. */
export interface HubKeyLocation {
  readonly home: { file(...parts: string[]): string };
  readonly log: Log;
}

/** The keys of the owner's own processes. They count at the hub's socket only, and are in no file of a client. */
export interface HubKeys {
  match(presented: string): TokenMatch | undefined;
  close(): void;
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

/** Makes the keys that are missing; the lock of the hub is held. One that other users could read is replaced: every process reads it anew. */
export async function openHubKeys(location: HubKeyLocation): Promise<HubKeys> {
  const control = Buffer.from((await ensureKey(location, "control")).reveal());
  const relay = Buffer.from((await ensureKey(location, "relay")).reveal());
  return {
    match(presented) {
      const bytes = Buffer.from(presented);
      if (isSameSecret(bytes, control)) return controlMatch;
      return isSameSecret(bytes, relay) ? relayMatch : undefined;
    },
    close() {
      for (const name of ["control", "relay"] as const) cancelPendingWrite(hubKeyPath(location, name));
    },
  };
}

/** Both act for the owner, whose token is the main one. */
const controlMatch: TokenMatch = Object.freeze({ name: mainTokenName, key: "control" });
const relayMatch: TokenMatch = Object.freeze({ name: mainTokenName, key: "relay" });

async function ensureKey(location: HubKeyLocation, name: HubKeyName): Promise<Secret> {
  const path = hubKeyPath(location, name);
  return readPrivateKey(path) ?? makeHubToken(path, uses[name], location.log);
}

const uses: Readonly<Record<HubKeyName, string>> = {
  control: "commands can control this hub",
  relay: "`clawport serve` and `mcp-server` can use this hub",
};

function readPrivateKey(path: string): Secret | undefined {
  const key = readHubKey(path);
  if (key === undefined || process.platform === "win32") return key;
  return (statSync(path).mode & 0o077) === 0 ? key : undefined;
}
