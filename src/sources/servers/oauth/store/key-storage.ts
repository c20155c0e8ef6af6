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

/** The keychain, or why there is none. Whether it works shows at its first use. */
export type KeychainLookup = { readonly keychain: Keychain } | { readonly missing: string };

export type FindKeychain = () => Promise<KeychainLookup>;

/** A locked keychain may ask the user first; one that hangs must not block us. */
const keychainTimeoutMs = 30_000;

export interface KeychainEnvironment {
  readonly env: Env;
  readonly platform: string;
}

/** Loads the native library only now. If that fails for any reason, there is no keychain. */
export async function findKeychain({ env, platform }: KeychainEnvironment): Promise<KeychainLookup> {
  if (env["CLAWPORT_NO_KEYCHAIN"]) return { missing: "CLAWPORT_NO_KEYCHAIN is set" };
  if (platform === "linux" && !hasSessionBus(env)) return { missing: "this session has no D-Bus" };
  try {
    const { AsyncEntry } = await import("@napi-rs/keyring");
    // By default the library falls back to the kernel's keyring, which loses everything when the machine restarts.
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

/** Undefined if there is no such file. One without a valid key is never replaced: what it sealed would be lost. */
export async function readKeyFile(path: string, log: Log): Promise<Uint8Array | undefined> {
  const text = await readText(path);
  if (text === undefined) return undefined;
  const key = parseKeyText(text);
  if (key === undefined) {
    const message = `${path} does not hold a valid key. Restore the file, or move it away and sign in again.`;
    throw new Fault("corrupt", message);
  }
  await restrictToOwner(path, log);
  return key;
}

/** Call it only while holding the lock of the keys. */
export async function createKeyFile(path: string): Promise<void> {
  await writeFileAtomic(path, `${newKeyText()}\n`, { mode: 0o600 });
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new Fault("io", `Could not read ${path}: ${messageOf(error)}. Run \`chmod 600\` on it.`, {
      cause: error,
    });
  }
}

async function restrictToOwner(path: string, log: Log): Promise<void> {
  if (process.platform === "win32" || ((await stat(path)).mode & 0o077) === 0) return;
  await chmod(path, 0o600);
  log.warn("other users could read the key of the stored sign-ins; the file is now restricted to its owner", { path });
}

/** 32 MiB and about a tenth of a second per guess. */
const scryptCost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

export interface PassphraseKeys {
  /** With the salt of an existing file, or with a new one. */
  derive(salt?: string): Promise<SealingKey>;
}

/** Derives one key per salt, however many files use it. */
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
