import { timingSafeEqual } from "node:crypto";
import { type FSWatcher, readFileSync, statSync, watch } from "node:fs";
import { dirname } from "node:path";
import { silentLog } from "../../core/log.ts";
import { hashToken } from "../../core/secrets/crypto.ts";
import { sleep } from "../../core/wait.ts";
import type { TokenMatch } from "./gate.ts";
import { ensureMainToken, mainTokenPath, readMainToken, type TokenLocation } from "./main-token.ts";
import { listNamedTokens, type NamedTokens, namedTokensPath, parseNamedTokens } from "./named-tokens.ts";

export interface TokensOptions extends TokenLocation {
  /** How old the look at the files may be that a match relies on; 250 ms unless given. */
  readonly lookEveryMs?: number;
}

/** The tokens that open the door, kept in memory and up to date with their files. */
export interface Tokens {
  /** The file of the main token. */
  readonly path: string;
  /** In the same time whichever token it is not. */
  match(presented: string): TokenMatch | undefined;
  close(): void;
}

const main: TokenMatch = Object.freeze({ name: "main" });

/**
 * A token that is reset, added or removed by another process counts from the next look at the files on: the system's
 * notice of a change brings that forward, but is not relied on, since some file systems give none.
 */
export async function openTokens(options: TokensOptions): Promise<Tokens> {
  const { log = silentLog, lookEveryMs = 250 } = options;
  const path = mainTokenPath(options);
  const namedPath = namedTokensPath(options);
  let mainToken: Buffer | undefined = Buffer.from((await ensureMainToken(options)).reveal());
  let mainMark = markOf(path);
  let named = compileNamed(await listNamedTokens(options));
  let namedMark = markOf(namedPath);
  let lookedAt = performance.now();
  let remaking: Promise<void> | undefined;
  const watchers = [...new Set([path, namedPath].map(dirname))].flatMap((folder) => watchFolder(folder, forgetLook));

  function forgetLook(): void {
    lookedAt = -Infinity;
  }

  function look(): void {
    lookedAt = performance.now();
    const newMainMark = markOf(path);
    if (newMainMark !== mainMark) {
      mainMark = newMainMark;
      keepGoing("the token file could not be read; the last token known counts on", path, () => {
        const token = readMainToken(path, log);
        mainToken = token === undefined ? undefined : Buffer.from(token.reveal());
      });
    }
    if (mainToken === undefined) remaking ??= remake();
    const newNamedMark = markOf(namedPath);
    if (newNamedMark === namedMark) return;
    namedMark = newNamedMark;
    keepGoing("the named tokens could not be read; those last known count on", namedPath, () => {
      named = compileNamed(newNamedMark === "" ? {} : parseNamedTokens(JSON.parse(readFileSync(namedPath, "utf8"))));
    });
  }

  function keepGoing(message: string, file: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      log.error(message, { path: file, error });
    }
  }

  async function remake(): Promise<void> {
    try {
      // Whoever writes the file by hand may empty it first.
      await sleep(100);
      await ensureMainToken(options);
      log.warn("the token file was gone or empty; it holds a new token now", { path });
    } catch (error) {
      log.error("the token file is gone or empty, and could not be made anew", { path, error });
    } finally {
      remaking = undefined;
      forgetLook();
    }
  }

  return {
    path,
    match(presented) {
      if (performance.now() - lookedAt >= lookEveryMs) look();
      const bytes = Buffer.from(presented);
      if (mainToken !== undefined && bytes.length === mainToken.length && timingSafeEqual(bytes, mainToken))
        return main;
      return named.length === 0 ? undefined : matchNamed(named, presented);
    },
    close() {
      for (const watcher of watchers) watcher.close();
    },
  };
}

interface CompiledToken {
  readonly hash: Buffer;
  readonly match: TokenMatch;
}

function compileNamed(tokens: NamedTokens): readonly CompiledToken[] {
  return Object.entries(tokens).map(([name, { hash, view }]) => ({
    hash: Buffer.from(hash, "hex"),
    match: Object.freeze(view === undefined ? { name } : { name, view }),
  }));
}

function matchNamed(tokens: readonly CompiledToken[], presented: string): TokenMatch | undefined {
  const presentedHash = Buffer.from(hashToken(presented), "hex");
  let found: TokenMatch | undefined;
  for (const { hash, match } of tokens) if (timingSafeEqual(hash, presentedHash)) found = match;
  return found;
}

/** Changes whenever the file does; empty when there is none. */
function markOf(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? "" : `${stat.ino} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.size}`;
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
