import { existsSync } from "node:fs";
import { withDeadline } from "../../../../../core/deadline.ts";
import { messageOf } from "../../../../../core/thrown.ts";

/** One secret in the keychain of the system: macOS Keychain, Windows Credential Manager, a Linux secret service. */
export interface Keychain {
  get(): Promise<string | undefined>;
  set(secret: string): Promise<void>;
}

/** Why there is none, or the keychain. Whether it answers shows at its first use. */
export type KeychainFinding = { readonly keychain: Keychain } | { readonly missing: string };

export type FindKeychain = () => Promise<KeychainFinding>;

/** A locked one may have to ask its person first; one that hangs must not hang us. */
const patienceMs = 30_000;

export interface KeychainPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/** Loads the native library only now. Where that fails, for whatever reason, there is no keychain, and that is all. */
export async function findKeychain({ env, platform }: KeychainPlace): Promise<KeychainFinding> {
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
  return withDeadline(patienceMs, undefined, work);
}

function hasSessionBus(env: KeychainPlace["env"]): boolean {
  if (env["DBUS_SESSION_BUS_ADDRESS"]) return true;
  return env["XDG_RUNTIME_DIR"] !== undefined && existsSync(`${env["XDG_RUNTIME_DIR"]}/bus`);
}
