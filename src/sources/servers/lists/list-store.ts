import { constants, renameSync } from "node:fs";
import { readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "../../../core/json.ts";
import { codeOf, Fault } from "../../../core/fault.ts";
import { pruneFolder } from "../../../core/files/prune-folder.ts";
import { readRegularFileNow } from "../../../core/files/read-regular-file.ts";
import { writeFileAtomic } from "../../../core/files/write-file-atomic.ts";
import { isRecord } from "../../../core/is-record.ts";
import type { Log } from "../../../core/log.ts";
import { lazyCrypto } from "../../../core/secrets/crypto.ts";
import { sleep } from "../../../core/wait.ts";
import type { Agreement } from "../../../mcp/client/mcp-client.ts";
import type { ServerDefinition } from "../definition.ts";
import { isUsableList, type ListMeta, type ServerLists } from "./fetch-lists.ts";
import { loadStoreKey } from "./store-key.ts";

/** What a server offered when it was last connected. */
export interface StoredLists {
  readonly agreement: Agreement;
  /** As the server listed them. */
  readonly lists: ServerLists;
  readonly meta: ListMeta;
  /** The day on which the era was found out, counted from 1970: a server may support a newer one by now. */
  readonly eraDay: number;
}

/** Remembers the lists of servers, so that they are known before a server is connected. One file for each server. */
export interface ListStore {
  /** At once, since a client waits for it. Undefined if nothing usable is stored for exactly this definition. */
  read(definition: StoredServer): StoredLists | undefined;
  /** In the background. Failures are logged: the lists are then fetched the next time. */
  save(definition: StoredServer, stored: StoredLists): void;
  /** Writes at once from now on. Resolves when nothing is being written any more. */
  settled(): Promise<void>;
}

type StoredServer = Pick<ServerDefinition, "name" | "fingerprint">;

export interface ListStoreOptions {
  /** Has one file for each server. */
  readonly folder: string;
  /** Holds the key that their names are made with. */
  readonly keyFile: string;
  readonly log: Log;
  readonly now?: () => number;
}

/** A larger list is not stored. The largest known one, of hundreds of tools, has less than a tenth of this. */
const maxBytes = 8 * 1024 * 1024;
/** Files of servers that are no longer configured stay until there are too many. */
const bounds = { maxAgeMs: 365 * 24 * 60 * 60 * 1000, maxFiles: 500, maxBytes: 256 * 1024 * 1024 };
const format = 1;
const pauseMs = 100;

export function openListStore({ folder, keyFile, log, now = Date.now }: ListStoreOptions): ListStore {
  /** One write at a time for each server: the last one counts. */
  const writing = new Map<string, Promise<void>>();
  const closing = new AbortController();
  let key: Buffer | undefined;

  return {
    read(definition) {
      try {
        const id = idOf(definition);
        return readStored(join(folder, fileName(id)), id, log);
      } catch (error) {
        log.warn("a stored list of tools could not be read", { server: definition.name, error });
        return undefined;
      }
    },
    save({ name, fingerprint }, stored) {
      const before = writing.get(name) ?? Promise.resolve();
      const done = before
        .then(() => pause())
        .then(() => write({ name, fingerprint }, stored))
        .catch((error: unknown) => log.warn("could not store a list of tools", { server: name, error }))
        .finally(() => writing.get(name) === done && writing.delete(name));
      writing.set(name, done);
    },
    async settled() {
      closing.abort();
      while (writing.size > 0) await Promise.all(writing.values());
    },
  };

  /** A call may wait for the server whose list this is, and goes first. */
  async function pause(): Promise<void> {
    await sleep(pauseMs, closing.signal).catch(() => {});
  }

  /** Keyed, since a plain hash of a definition would let its secrets be guessed. The name is another account. */
  function idOf({ name, fingerprint }: StoredServer): string {
    key ??= loadStoreKey(keyFile);
    return lazyCrypto()
      .createHmac("sha256", key)
      .update(JSON.stringify([fingerprint, name]))
      .digest("hex");
  }

  async function write(definition: StoredServer, stored: StoredLists): Promise<void> {
    const id = idOf(definition);
    const path = join(folder, fileName(id));
    const text = JSON.stringify({ format, id, ...stored });
    if (Buffer.byteLength(text) > maxBytes) {
      log.info("the server's list is too large to be stored", { server: definition.name });
      return;
    }
    // Most starts find what is stored already. The time tells which files are in use.
    if ((await readFile(path, "utf8").catch(() => undefined)) === text) {
      await utimes(path, now() / 1000, now() / 1000);
      return;
    }
    await writeFileAtomic(path, text);
    await pruneFolder(folder, log, now(), bounds);
  }
}

const fileName = (id: string): string => `${id.slice(0, 32)}.json`;

/**
 * Anything else than a file that this store wrote for this definition is set aside. Throws if the system can't read it now
 * (too many open files, a failing disk): the file may be good.
 */
function readStored(path: string, id: string, log: Log): StoredLists | undefined {
  try {
    // A link may lead anywhere. Windows has no such flag.
    const text = readRegularFileNow(path, maxBytes, constants.O_NOFOLLOW ?? 0);
    return parseStored(parseJson(text), id);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (isSystemError(error) && !linkCodes.has(codeOf(error))) throw error;
    return setAside(path, log, error);
  }
}

/** How systems refuse to open a link; FreeBSD has the second. */
const linkCodes: ReadonlySet<string | undefined> = new Set(["ELOOP", "EMLINK"]);

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

function setAside(path: string, log: Log, error: unknown): undefined {
  const aside = `${path}.damaged-${new Date().toISOString().replace(/[-:.]/g, "")}`;
  renameSync(path, aside);
  log.warn("a stored list of tools was damaged; it was set aside", { path, aside, error });
}

/** Undefined for a file of another version of Clawport, which the next save replaces. */
function parseStored(value: unknown, id: string): StoredLists | undefined {
  if (!isRecord(value) || typeof value.format !== "number") throw new Fault("corrupt", "This is not a stored list.");
  if (value.format !== format) return undefined;
  const { agreement, lists, meta, eraDay } = value;
  if (value.id !== id) throw new Fault("corrupt", "It was stored for another server.");
  if (!isAgreement(agreement) || !isUsableList(lists) || !isRecord(meta) || typeof eraDay !== "number")
    throw new Fault("corrupt", "This is not a stored list.");
  return { agreement, lists, meta, eraDay };
}

function isAgreement(value: unknown): value is Agreement {
  if (!isRecord(value) || !isRecord(value.capabilities) || typeof value.version !== "string") return false;
  const { era, instructions, serverInfo } = value;
  return (
    (era === "legacy" || era === "modern") &&
    (instructions === undefined || typeof instructions === "string") &&
    (serverInfo === undefined || isRecord(serverInfo))
  );
}
