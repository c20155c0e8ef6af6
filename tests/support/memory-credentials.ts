import type {
  CredentialFile,
  Credentials,
  CredentialStore,
} from "../../src/sources/servers/oauth/store/credentials.ts";

/** A credential store in memory. Changes run one after the other, as in the real store. */
export function createMemoryCredentials(): CredentialStore {
  const files = new Map<string, MemoryFile>();
  return {
    open(server, resource) {
      const key = `${server} ${resource.href}`;
      const file = files.get(key) ?? createMemoryFile();
      files.set(key, file);
      return file;
    },
    list: () => Promise.resolve([...files.values()].flatMap((file) => file.kept() ?? [])),
    settled: () => Promise.resolve(),
  };
}

export interface MemoryFile extends CredentialFile {
  kept(): Credentials | undefined;
}

export function createMemoryFile(first?: Credentials): MemoryFile {
  let kept = first;
  let turn: Promise<unknown> = Promise.resolve();
  return {
    kept: () => kept,
    read: () => Promise.resolve(kept),
    change(change) {
      const work = async () => {
        const next = await change(kept);
        // As it would come back from the disk.
        kept = next && (JSON.parse(JSON.stringify(next)) as Credentials);
        return kept;
      };
      const done = turn.then(work);
      turn = done.catch(() => {});
      return done;
    },
  };
}
