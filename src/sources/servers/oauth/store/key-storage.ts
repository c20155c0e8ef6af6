import { existsSync } from "node:fs";
import { chmod, readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { codeOf, Fault, messageOf } from "../../../../core/fault.ts";
import { writeFileAtomic } from "../../../../core/files/write-file-atomic.ts";
import type { Log } from "../../../../core/log.ts";
import type { Env } from "../../../../core/process/child-env.ts";
import { lazyCrypto } from "../../../../core/secrets/crypto.ts";
import { withDeadline } from "../../../../core/wait.ts";
import { keyLength, newKeyText, parseKeyText, type SealingKey, sealingKey } from "./seal.ts";

/** One secret in the keychain of the system: macOS Keychain, Windows Credential Manager, a Linux secret service. */
export interface Keychain {
  get(): Promise<string | undefined>;
  set(secret: string): Promise<void>;
}

/** Why there is none, or the keychain. Whether it answers shows at its first use. */
export type KeychainLookup = { readonly keychain: Keychain } | { readonly missing: string };

export type FindKeychain = () => Promise<KeychainLookup>;

/** A locked one may have to ask its person first; one that hangs must not hang us. */
const keychainTimeoutMs = 30_000;

export interface KeychainEnvironment {
  readonly env: Env;
  readonly platform: string;
}

/** Loads the native library only now. Where that fails, for whatever reason, there is no keychain, and that is all. */
export async function findKeychain({ env, platform }: KeychainEnvironment): Promise<KeychainLookup> {
  if (env["CLAWPORT_NO_KEYCHAIN"]) return { missing: "CLAWPORT_NO_KEYCHAIN is set" };
  if (platform === "linux" && !hasSessionBus(env)) return { missing: "this session has no D-Bus" };
  try {
    const { AsyncEntry } = await import("@napi-rs/keyring");
    // Left to itself the library falls back on the kernel's keyring, which forgets everything when the machine restarts.
    const entry = new AsyncEntry("clawport", "tokens", { linux: { store: "secret-service" } });
    return {
      keychain: {
        get: async () => (await within((signal) => entry.getPassword(signal))) ?? undefined,
        set: (secret) => within((signal) => entry.setPassword(secret, signal)),
      },
    };
  } catch (error) {
    return { missing: messageOf(error) };
  }
}

function within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return withDeadline(keychainTimeoutMs, undefined, work);
}

function hasSessionBus(env: KeychainEnvironment["env"]): boolean {
  if (env["DBUS_SESSION_BUS_ADDRESS"]) return true;
  return env["XDG_RUNTIME_DIR"] !== undefined && existsSync(`${env["XDG_RUNTIME_DIR"]}/bus`);
}

/** Nothing where there is no such file. One that holds no key is never replaced: what it sealed would be lost for good. */
export async function readKeyFile(path: string, log: Log): Promise<Uint8Array | undefined> {
  const text = await readText(path);
  if (text === undefined) return undefined;
  const key = parseKeyText(text);
  if (key === undefined) {
    const message = `${path} holds no key. Put the right one back, or move it away and sign in again.`;
    throw new Fault("corrupt", message);
  }
  await restrictToOwner(path, log);
  return key;
}

/** Only for the holder of the keys' lock. */
export async function createKeyFile(path: string): Promise<void> {
  await writeFileAtomic(path, `${newKeyText()}\n`, { mode: 0o600 });
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new Fault("io", `Could not read ${path}: ${messageOf(error)}. Give yourself access to it: chmod 600`, {
      cause: error,
    });
  }
}

async function restrictToOwner(path: string, log: Log): Promise<void> {
  if (process.platform === "win32" || ((await stat(path)).mode & 0o077) === 0) return;
  await chmod(path, 0o600);
  log.warn("others could read the key of the stored sign-ins; the file is closed to them now", { path });
}

/** 32 MiB and about a tenth of a second for each guess. */
const scryptCost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

export interface PassphraseKeys {
  /** With the salt of a file that exists, or with one of our own. */
  derive(salt?: string): Promise<SealingKey>;
}

/** Every salt is stretched once, however many files have it. */
export function createPassphraseKeys(passphrase: string): PassphraseKeys {
  const scrypt = promisify<string, Uint8Array, number, object, Buffer>(lazyCrypto().scrypt);
  const known = new Map<string, Promise<SealingKey>>();
  const own = lazyCrypto().randomBytes(16).toString("base64url");
  return {
    derive(salt = own) {
      const found = known.get(salt);
      if (found) return found;
      const made = scrypt(passphrase, Buffer.from(salt, "base64url"), keyLength, scryptCost).then((bytes) =>
        sealingKey("passphrase", bytes, salt),
      );
      known.set(salt, made);
      return made;
    },
  };
}
