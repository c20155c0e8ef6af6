import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { Fault, messageOf } from "../../../../core/fault.ts";
import { withFileLock } from "../../../../core/files/file-lock.ts";
import type { Log } from "../../../../core/log.ts";
import { Secret } from "../../../../core/secrets/secret.ts";
import { createPassphraseKeys, type FindKeychain, type Keychain, createKeyFile, readKeyFile } from "./key-storage.ts";
import {
  newKeyText,
  parseKeyText,
  type SealingKey,
  sealingKey,
  type SealingKeyKind,
  type SealingKeyReference,
} from "./seal.ts";

export const passphraseName = "CLAWPORT_TOKENS_PASSPHRASE";

export interface SealingKeysOptions {
  /** Path of the key file, if one is needed. */
  readonly path: string;
  readonly passphrase?: string | undefined;
  readonly findKeychain: FindKeychain;
  readonly log: Log;
}

/** The keys that stored sign-ins are sealed with. */
export interface SealingKeys {
  /** The key to seal with; created if there is none yet. `last` is the key that sealed the file before. */
  current(last?: SealingKey): Promise<SealingKey>;
  /** The key that a file refers to; undefined if it was replaced. Throws a fault if it is not available now. */
  find(reference: SealingKeyReference): Promise<SealingKey | undefined>;
  /** Which kind would be used, and why no better one; creates nothing. */
  describe(): Promise<SealingKeyReport>;
}

export interface SealingKeyReport {
  readonly kind: SealingKeyKind;
  /** Why it is not the keychain. */
  readonly because?: string;
}

/**
 * A passphrase goes first, since the user chose it. An existing key file goes before the keychain: some process of this home
 * had no keychain, and could not read what is sealed with a key in one.
 */
export function openSealingKeys({ path, passphrase, findKeychain, log }: SealingKeysOptions): SealingKeys {
  const passphraseKeys = passphrase ? createPassphraseKeys(passphrase) : undefined;
  let fromFile: SealingKey | undefined;
  let fromKeychain: SealingKey | undefined;
  let asking: Promise<KeychainAnswer | KeychainMissing> | undefined;

  return {
    async current(last) {
      if (passphraseKeys) return passphraseKeys.derive(last?.salt);
      if (last && last.kind !== "passphrase") return last;
      const kept = (await fileKey()) ?? (await keychainKey(true));
      return kept === undefined || "missing" in kept ? createFileKey() : kept;
    },
    async find(reference) {
      const key = await keyFor(reference);
      return key?.id === reference.id ? key : undefined;
    },
    async describe() {
      if (passphraseKeys) return { kind: "passphrase", because: `${passphraseName} is set` };
      if (existsSync(path)) return { kind: "file", because: "an earlier run had no keychain" };
      const found = await askKeychain();
      return "missing" in found ? { kind: "file", because: found.missing } : { kind: "keychain" };
    },
  };

  async function keyFor({ kind, id, salt }: SealingKeyReference): Promise<SealingKey | undefined> {
    if (kind === "file") return fileKey();
    if (kind === "keychain") {
      const key = await keychainKey(false);
      if (key === undefined || !("missing" in key)) return key;
      throw unavailable(
        `They are encrypted with a key in the system's keychain, which is not available here (${key.missing}).`,
        `Unlock the keychain, or move ${dirname(path)} away and sign in again.`,
      );
    }
    if (!passphraseKeys) throw unavailable("They are encrypted with a passphrase.", `Set ${passphraseName}.`);
    const key = await passphraseKeys.derive(salt);
    if (key.id === id) return key;
    throw unavailable("They are encrypted with another passphrase.", `Set ${passphraseName} to the right one.`);
  }

  async function fileKey(): Promise<SealingKey | undefined> {
    if (fromFile) return fromFile;
    const bytes = await readKeyFile(path, log);
    return bytes && (fromFile = sealingKey("file", bytes));
  }

  function createFileKey(): Promise<SealingKey> {
    return locked(async () => {
      const found = await fileKey();
      if (found) return found;
      await createKeyFile(path);
      return (await fileKey())!;
    });
  }

  /** Undefined if the keychain holds no key of ours and did not keep a new one; `missing` says why it can't be used. */
  async function keychainKey(mayCreate: boolean): Promise<SealingKey | KeychainMissing | undefined> {
    if (fromKeychain) return fromKeychain;
    const found = await askKeychain();
    if ("missing" in found) return found;
    const text = found.text ?? (mayCreate ? await locked(() => createInKeychain(found.keychain)) : undefined);
    const bytes = text === undefined ? undefined : parseKeyText(text.reveal());
    return bytes && (fromKeychain = sealingKey("keychain", bytes));
  }

  /** One question at a time, shared by all callers: each may open a dialog. */
  function askKeychain(): Promise<KeychainAnswer | KeychainMissing> {
    return (asking ??= readKeychain().finally(() => (asking = undefined)));
  }

  async function readKeychain(): Promise<KeychainAnswer | KeychainMissing> {
    const found = await findKeychain();
    if ("missing" in found) return found;
    try {
      const text = await found.keychain.get();
      return { keychain: found.keychain, text: text === undefined ? undefined : new Secret(text) };
    } catch (error) {
      return { missing: messageOf(error) };
    }
  }

  /** Reads the key back: a keychain that does not keep a secret is of no use. */
  async function createInKeychain(keychain: Keychain): Promise<Secret | undefined> {
    try {
      const found = await keychain.get();
      if (found !== undefined) return new Secret(found);
      const made = newKeyText();
      await keychain.set(made);
      if ((await keychain.get()) === made) return new Secret(made);
    } catch (error) {
      log.warn("the keychain did not keep the key; using a key file instead", { error: messageOf(error) });
    }
    return undefined;
  }

  function locked<T>(work: () => Promise<T>): Promise<T> {
    return withFileLock(`${path}.lock`, { log, waitMs: 120_000 }, work);
  }
}

interface KeychainMissing {
  readonly missing: string;
}

interface KeychainAnswer {
  readonly keychain: Keychain;
  readonly text: Secret | undefined;
}

function unavailable(why: string, fix: string): Fault {
  return new Fault("unavailable", `Could not open the stored sign-ins. ${why} ${fix}`);
}
