import { type FSWatcher, readFileSync, watch } from "node:fs";
import { dirname } from "node:path";
import { stampFileNow } from "../../core/files/file-stamp.ts";
import { silentLog } from "../../core/log.ts";
import { hashToken, isSameSecret } from "../../core/secrets/crypto.ts";
import { sleep } from "../../core/wait.ts";
import { mainTokenName, type TokenMatch } from "./gate.ts";
import { ensureMainToken, mainTokenPath, readMainToken, type TokenLocation } from "./main-token.ts";
import { listNamedTokens, type NamedTokens, namedTokensPath, parseNamedTokens } from "./named-tokens.ts";

export interface TokensOptions extends TokenLocation {
  /** How often `match` checks the files for changes, at most; every 250 ms unless given. */
  readonly checkEveryMs?: number;
}

/** All valid tokens, in memory and up to date with their files. */
export interface Tokens {
  /** The file of the main token. */
  readonly path: string;
  /** Takes the same time for every wrong token. */
  match(presented: string): TokenMatch | undefined;
  /** Different for every token, also of the same name, and the same on every start; undefined if there is no such token. */
  keyOf(name: string): string | undefined;
  /** Calls the listener with the name of each token that is removed or replaced from now on. */
  onRevoked(listener: (name: string) => void): void;
  close(): void;
}

/** How often to look for removed tokens without a notice. */
const pollMs = 2000;
const main: TokenMatch = Object.freeze({ name: mainTokenName });

/**
 * A token that another process resets, adds or removes counts from the next check of the files. A notice of the file
 * system makes that check happen sooner, but some file systems send none.
 */
export async function openTokens(options: TokensOptions): Promise<Tokens> {
  const { log = silentLog, checkEveryMs = 250 } = options;
  const path = mainTokenPath(options);
  const namedPath = namedTokensPath(options);
  let mainToken: Buffer | undefined = Buffer.from((await ensureMainToken(options)).reveal());
  let mainStamp = stampOf(path);
  let named = compileNamed(await listNamedTokens(options));
  let namedStamp = stampOf(namedPath);
  let checkedAt = performance.now();
  let renewing: Promise<void> | undefined;
  let noteRevoked: ((name: string) => void) | undefined;
  let checking: NodeJS.Timeout | undefined;
  let polling: NodeJS.Timeout | undefined;
  let known: ReadonlyMap<string, string> | undefined;
  const watchers = [...new Set([path, namedPath].map(dirname))].flatMap((folder) => watchFolder(folder, checkSoon));

  function checkSoon(): void {
    checkedAt = -Infinity;
    // Soon is enough: a file that is being edited may be empty for a moment.
    if (noteRevoked) checking ??= setTimeout(checkFiles, checkEveryMs).unref();
  }

  function checkFiles(): void {
    clearTimeout(checking);
    checking = undefined;
    checkedAt = performance.now();
    const before = noteRevoked && (known ??= keys());
    if (!readFiles()) return;
    known = keys();
    for (const [name, key] of before ?? []) if (known.get(name) !== key) noteRevoked?.(name);
  }

  function keys(): Map<string, string> {
    const all = new Map(named.map(({ hash, match }) => [match.name, hash.toString("hex")]));
    if (mainToken !== undefined) all.set(mainTokenName, hashToken(mainToken.toString()));
    return all;
  }

  /** Returns whether a file has changed. */
  function readFiles(): boolean {
    const newMainStamp = stampOf(path);
    const isMainChanged = newMainStamp !== mainStamp;
    if (isMainChanged) {
      mainStamp = newMainStamp;
      logFailure("could not read the token file; keeping the previous token", path, () => {
        const token = readMainToken(path, log);
        mainToken = token === undefined ? undefined : Buffer.from(token.reveal());
      });
    }
    if (mainToken === undefined) renewing ??= renewMainToken();
    const newNamedStamp = stampOf(namedPath);
    if (newNamedStamp === namedStamp) return isMainChanged;
    namedStamp = newNamedStamp;
    logFailure("could not read the named tokens; keeping the previous ones", namedPath, () => {
      named = compileNamed(newNamedStamp === "" ? {} : parseNamedTokens(JSON.parse(readFileSync(namedPath, "utf8"))));
    });
    return true;
  }

  function logFailure(message: string, file: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      log.error(message, { path: file, error });
    }
  }

  async function renewMainToken(): Promise<void> {
    try {
      // An editor may empty the file before it writes the new content.
      await sleep(100);
      await ensureMainToken(options);
      log.warn("the token file was missing or empty; wrote a new token", { path });
    } catch (error) {
      log.error("the token file is missing or empty; could not write a new token", { path, error });
    } finally {
      renewing = undefined;
      checkSoon();
    }
  }

  return {
    path,
    match(presented) {
      if (performance.now() - checkedAt >= checkEveryMs) checkFiles();
      if (mainToken !== undefined && isSameSecret(presented, mainToken)) return main;
      return named.length === 0 ? undefined : matchNamed(named, presented);
    },
    keyOf: (name) => (known ??= keys()).get(name),
    onRevoked(listener) {
      noteRevoked = listener;
      known ??= keys();
      polling ??= setInterval(checkFiles, pollMs).unref();
    },
    close() {
      clearTimeout(checking);
      clearInterval(polling);
      for (const watcher of watchers) watcher.close();
    },
  };
}

interface CompiledToken {
  readonly hash: Buffer;
  readonly match: TokenMatch;
}

function compileNamed(tokens: NamedTokens): readonly CompiledToken[] {
  return Object.entries(tokens).map(([name, { hash, view, surface, metrics }]) => ({
    hash: Buffer.from(hash, "hex"),
    match: Object.freeze({
      name,
      ...(view !== undefined && { view }),
      ...(surface !== undefined && { surface }),
      ...(metrics && { metrics }),
    }),
  }));
}

function matchNamed(tokens: readonly CompiledToken[], presented: string): TokenMatch | undefined {
  const presentedHash = Buffer.from(hashToken(presented), "hex");
  let found: TokenMatch | undefined;
  for (const { hash, match } of tokens) if (isSameSecret(hash, presentedHash)) found = match;
  return found;
}

/** Changes whenever the file does; empty if there is no file. */
function stampOf(path: string): string {
  try {
    return stampFileNow(path);
  } catch {
    return "unreachable";
  }
}

function watchFolder(folder: string, listener: () => void): FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, listener);
    return [watcher.on("error", () => watcher.close())];
  } catch {
    return [];
  }
}
