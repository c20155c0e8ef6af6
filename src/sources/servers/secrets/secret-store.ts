import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Fault } from "../../../core/fault.ts";
import { withFileLock } from "../../../core/files/file-lock.ts";
import { readJsonFile } from "../../../core/files/state-file.ts";
import { writeFileAtomic } from "../../../core/files/write-file-atomic.ts";
import { asRecord } from "../../../core/is-record.ts";
import { type Log, silentLog } from "../../../core/log.ts";
import type { Env } from "../../../core/process/child-env.ts";
import { sealingKeysOf } from "../oauth/store/open-credential-store.ts";
import { parseSealed, seal, type SealingKey, unseal } from "../oauth/store/seal.ts";

/** The user's secrets, encrypted with a key in the system's keychain, a passphrase, or a key file where there is no keychain. */
export interface SecretStore {
  readonly path: string;
  names(): Promise<readonly string[]>;
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  /** Whether there was one. */
  remove(name: string): Promise<boolean>;
}

export interface SecretStoreOptions {
  /** The state folder. */
  readonly home: string;
  readonly env: Env;
  readonly log?: Log;
}

export const secretsFile = "secrets.json";
const label = "secrets";
const maxSecretChars = 65_536;

/** Faults if it is not a name: it has to fit between `${keychain:` and `}`. */
export function checkSecretName(name: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,127}$/.test(name)) return name;
  throw new Fault("usage", "The name of a secret has letters, digits, - _ and . only, and at most 128 of them.");
}

export function openSecretStore({ home, env, log = silentLog }: SecretStoreOptions): SecretStore {
  const path = join(home, secretsFile);
  const keys = sealingKeysOf({ home: { file: (...parts) => join(home, ...parts) }, env, log });

  async function read(): Promise<{ readonly secrets: Record<string, string>; readonly key?: SealingKey }> {
    const file = await readJsonFile(path, parseSealed);
    if (file.state === "missing") return { secrets: {} };
    const key = file.state === "good" ? await keys.find(file.value.key) : undefined;
    if (file.state === "damaged" || key === undefined)
      throw new Fault(
        "corrupt",
        `${path} can't be opened: its key is gone, or it is damaged. Move it away and set the secrets again.`,
      );
    const entries = Object.entries(asRecord(JSON.parse(unseal(file.value, key, label))));
    return { key, secrets: Object.fromEntries(entries.map(([name, value]) => [name, String(value)])) };
  }

  async function change<T>(edit: (secrets: Record<string, string>) => T): Promise<T> {
    return withFileLock(`${path}.lock`, { log }, async () => {
      const { secrets, key } = await read();
      const result = edit(secrets);
      if (Object.keys(secrets).length === 0) await rm(path, { force: true });
      else {
        const sealed = seal(JSON.stringify(secrets), await keys.current(key), label);
        await writeFileAtomic(path, `${JSON.stringify(sealed)}\n`);
      }
      return result;
    });
  }

  return {
    path,
    names: async () => Object.keys((await read()).secrets).toSorted(),
    async get(name) {
      const { secrets } = existsSync(dirname(path)) ? await read() : { secrets: {} as Record<string, string> };
      return Object.hasOwn(secrets, name) ? secrets[name] : undefined;
    },
    async set(name, value) {
      checkSecretName(name);
      if (value === "" || value.length > maxSecretChars || value.includes("\0"))
        throw new Fault("usage", `A secret has from 1 to ${maxSecretChars} characters, none of them NUL.`);
      await change((secrets) => void (secrets[name] = value));
    },
    remove: (name) =>
      change((secrets) => {
        const isThere = Object.hasOwn(secrets, name);
        delete secrets[name];
        return isThere;
      }),
  };
}
