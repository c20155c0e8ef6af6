import { readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { codeOf } from "../../../../core/fault.ts";
import { withFileLock } from "../../../../core/files/file-lock.ts";
import type { Home } from "../../../../core/files/home.ts";
import { readJsonFile, setAside } from "../../../../core/files/state-file.ts";
import { writeFileAtomic } from "../../../../core/files/write-file-atomic.ts";
import type { Log } from "../../../../core/log.ts";
import type { Env } from "../../../../core/process/child-env.ts";
import { canonicalUri, credentialName, tokensFolder } from "./credential-path.ts";
import type { CredentialFile, Credentials, CredentialStore } from "./credentials.ts";
import { type FindKeychain, findKeychain } from "./key-storage.ts";
import { parseCredentials } from "./parse-credentials.ts";
import { parseSealed, seal, type SealingKey, unseal } from "./seal.ts";
import { openSealingKeys, passphraseName, type SealingKeys } from "./sealing-keys.ts";

export interface CredentialStoreOptions {
  readonly home: Pick<Home, "file">;
  readonly env: Env;
  readonly log: Log;
  readonly now?: (() => Date) | undefined;
  /** The system's keychain by default. */
  readonly findKeychain?: FindKeychain | undefined;
}

/** The holder may be waiting for new tokens from a slow authorization server. */
const lockTimeoutMs = 120_000;

export function openCredentialStore(options: CredentialStoreOptions): CredentialStore {
  const { home, log, now = () => new Date() } = options;
  const folder = tokensFolder(home);
  const keys = sealingKeysOf(options);
  const running = new Set<Promise<unknown>>();

  return {
    open(server, resource) {
      const name = credentialName(server, resource);
      return openFile(name, (found) => found.server === server && found.resource === canonicalUri(resource));
    },
    async list() {
      const names = (await readNames(folder)).map((file) => basename(file, ".json"));
      const found = await Promise.all(
        names.map(async (name) => {
          try {
            return await openFile(name, (each) => credentialName(each.server, new URL(each.resource)) === name).read();
          } catch (error) {
            log.warn("could not open a stored sign-in", { path: join(folder, `${name}.json`), error });
            return undefined;
          }
        }),
      );
      return found.flatMap((each) => each ?? []).toSorted((one, other) => (one.server < other.server ? -1 : 1));
    },
    async settled() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };

  function track<R>(work: Promise<R>): Promise<R> {
    const over = (): void => void running.delete(work);
    running.add(work);
    work.then(over, over);
    return work;
  }

  function openFile(name: string, isOwn: (found: Credentials) => boolean): CredentialFile {
    const path = join(folder, `${name}.json`);

    return {
      async read() {
        const found = await tryRead();
        return "error" in found ? (await locked(readLocked)).credentials : found.credentials;
      },
      change: (change) =>
        track(
          locked(async () => {
            const { credentials, key } = await readLocked();
            const before = JSON.stringify(credentials);
            const next = await change(credentials);
            if (next === undefined) await rm(path, { force: true });
            else if (JSON.stringify(next) !== before) await write(next, key);
            return next;
          }),
        ),
    };

    function locked<R>(work: () => Promise<R>): Promise<R> {
      return withFileLock(`${path}.lock`, { log, waitMs: lockTimeoutMs }, work);
    }

    async function write(next: Credentials, last: SealingKey | undefined): Promise<void> {
      const sealed = seal(JSON.stringify(next), await keys.current(last), name);
      await writeFileAtomic(path, `${JSON.stringify(sealed)}\n`);
    }

    async function readLocked(): Promise<Opened> {
      const found = await tryRead();
      if (!("error" in found)) return found;
      const aside = await setAside(path, now());
      log.error("set aside a stored sign-in that is damaged or foreign", { path, aside, error: found.error });
      return {};
    }

    /** Throws a fault if the key is not available now: then nothing is wrong with the file. */
    async function tryRead(): Promise<Opened | { readonly error: unknown }> {
      const file = await readJsonFile(path, parseSealed);
      if (file.state === "missing") return {};
      if (file.state === "damaged") return { error: file.error };
      const key = await keys.find(file.value.key);
      if (key === undefined) return { error: new TypeError("it is sealed with a missing key") };
      try {
        const credentials = parseCredentials(JSON.parse(unseal(file.value, key, name)));
        return isOwn(credentials) ? { credentials, key } : { error: new TypeError("it belongs to another server") };
      } catch (error) {
        return { error };
      }
    }
  }
}

interface Opened {
  readonly credentials?: Credentials;
  readonly key?: SealingKey;
}

/** The keys of a home, also for reports about which one is used. */
export function sealingKeysOf({ home, env, log, findKeychain: find }: CredentialStoreOptions): SealingKeys {
  return openSealingKeys({
    path: join(tokensFolder(home), "key"),
    passphrase: env[passphraseName],
    findKeychain: find ?? (() => findKeychain({ env, platform: process.platform })),
    log,
  });
}

async function readNames(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => /^[0-9a-f]{64}\.json$/.test(name));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
