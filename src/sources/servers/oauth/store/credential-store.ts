import type { Credentials } from "./credentials.ts";

/** What is kept for one server. */
export interface CredentialFile {
  /** Nothing where there is nothing; a damaged or foreign file is set aside and reported first. */
  read(): Promise<Credentials | undefined>;
  /**
   * Changes it while no other call and no other process can, so that a token that may be spent once is spent once. What
   * is returned is on the disk before the promise resolves; `undefined` forgets everything.
   */
  change(
    change: (now: Credentials | undefined) => Promise<Credentials | undefined> | Credentials | undefined,
  ): Promise<Credentials | undefined>;
}

/** Where sign-ins are kept between runs: one encrypted file a server. */
export interface CredentialStore {
  /** The same address under two names is two accounts. */
  open(server: string, resource: URL): CredentialFile;
  /** Everything that is kept. */
  list(): Promise<readonly Credentials[]>;
  /** Resolves when nothing is being changed any more: a process that ends before may lose a token that replaces a spent one. */
  settled(): Promise<void>;
}
