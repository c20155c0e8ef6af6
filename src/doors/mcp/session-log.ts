import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { beforeSending } from "../../core/http/turn-end.ts";
import { isRecord } from "../../core/is-record.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { lazyCrypto } from "../../core/secrets/crypto.ts";
import type { KeptSessions, SessionFacts } from "../../mcp/http/kept-sessions.ts";
import { logLevels, type McpLogLevel } from "../../mcp/messages/interim-messages.ts";
import { parseClientFacts } from "../../mcp/messages/client-facts.ts";
import { isLegacyVersion } from "../../mcp/messages/protocol-version.ts";
import { createPrincipalCounter } from "../../mcp/server/principal-counter.ts";

export interface SessionLogOptions {
  /** Only one process at a time may have it open. */
  readonly file: string;
  /** Different for every token, also of the same name; undefined if there is no such token. */
  tokenKey(name: string): string | undefined;
  readonly log?: Log | undefined;
  readonly now?: (() => number) | undefined;
  /** How long a session is kept after its last use; a week unless given. */
  readonly keepMs?: number | undefined;
  /** How many are kept: in total, and per token. */
  readonly atMost?: number | undefined;
  readonly atMostOfOne?: number | undefined;
}

/**
 * The sessions of a door, in one file that is only added to. It holds no session id, but a hash of the id, the token and
 * the view together: a session is found again only with the token that opened it and at the address where it was opened.
 */
export interface SessionLog {
  /** The sessions at one view of the catalog. */
  of(view: string): KeptSessions;
  /** Forgets the sessions of a token that is no longer valid. */
  forgetAll(token: string): void;
  close(): void;
}

interface SessionRecord extends SessionFacts {
  readonly token: string;
  /** The length of its line. */
  bytes?: number;
  /** When it was last known to be in use. */
  readonly at: number;
}

const week = 7 * 24 * 3_600_000;
/** What a client says about its capabilities is kept up to this length. */
const maxCapabilitiesLength = 2000;
/** The URIs that a client has subscribed to are kept up to this length, together. */
const maxWatchedChars = 16_000;
/** The file is rewritten when it is larger than this and more than twice the size of what is kept. */
const compactOver = 256 * 1024;
const largestFile = 64 * 1024 * 1024;

export function openSessionLog(options: SessionLogOptions): SessionLog {
  const { file, tokenKey, log = silentLog, now = Date.now, keepMs = week } = options;
  const { atMost = 10_000, atMostOfOne = 2500 } = options;
  /** The one that was not used for the longest time comes first. */
  const records = new Map<string, SessionRecord>();
  const countOf = createPrincipalCounter();
  let waiting = "";
  let isReported = false;
  /** The file ends with half a line. */
  let isTorn = false;
  let size = 0;
  /** Of it, the lines that a rewrite would keep. */
  let liveBytes = 0;
  let fd: number | undefined;
  guarded(() => {
    size = load();
    compact();
  });

  return {
    of: (view) => ({
      remember(id, token, { version, client, logLevel, watched }) {
        const key = keyOf(view, id, token);
        if (key === undefined) return;
        if (!records.has(key)) makeRoom(token);
        put(key, { token, version, client: bounded(client), logLevel, watched: boundedUris(watched), at: now() });
      },
      recall(id, token) {
        const key = keyOf(view, id, token);
        const record = key === undefined ? undefined : records.get(key);
        return record?.token === token && !isExpired(record) ? record : undefined;
      },
      touch(id, token) {
        const key = keyOf(view, id, token);
        const record = key === undefined ? undefined : records.get(key);
        if (record) put(key!, { ...record, at: now() });
      },
      forget(id, token) {
        const key = keyOf(view, id, token);
        if (key !== undefined) drop(key);
      },
    }),
    forgetAll(token) {
      for (const [key, record] of records) if (record.token === token) drop(key);
    },
    close() {
      write();
      if (fd !== undefined) fs.closeSync(fd);
      fd = undefined;
    },
  };

  function keyOf(view: string, id: string, token: string): string | undefined {
    const secret = tokenKey(token);
    if (secret === undefined) return undefined;
    return lazyCrypto().hash("sha256", JSON.stringify([secret, view, id]), "base64url");
  }

  function isExpired({ at }: SessionRecord): boolean {
    return now() - at > keepMs;
  }

  function put(key: string, record: SessionRecord): void {
    const line = formatLine(key, record);
    keep(key, record, Buffer.byteLength(line));
    append(line);
  }

  function drop(key: string): void {
    if (remove(key)) append(`${JSON.stringify({ end: key })}\n`);
  }

  function keep(key: string, record: SessionRecord, bytes: number): void {
    remove(key);
    record.bytes = bytes;
    liveBytes += bytes;
    records.set(key, record);
    countOf.add(record.token);
  }

  function remove(key: string): boolean {
    const record = records.get(key);
    if (record === undefined) return false;
    liveBytes -= record.bytes ?? 0;
    countOf.remove(record.token);
    return records.delete(key);
  }

  function makeRoom(token: string): void {
    for (const [key, record] of records) {
      if (!isExpired(record)) break;
      drop(key);
    }
    if (countOf.of(token) >= atMostOfOne) dropOldestOf(token);
    else if (records.size >= atMost) dropOldestOf(countOf.greatest()!);
  }

  function dropOldestOf(token: string): void {
    for (const [key, record] of records) if (record.token === token) return drop(key);
  }

  /** All lines of one turn are written together, before an answer of that turn leaves. */
  function append(line: string): void {
    if (waiting === "") beforeSending(write);
    waiting += line;
  }

  function write(): void {
    if (waiting === "") return;
    const lines = waiting;
    waiting = "";
    guarded(() => {
      fd ??= open();
      const bytes = Buffer.from(isTorn ? `\n${lines}` : lines);
      isTorn = true;
      // A disk that is nearly full writes a part without an error; only the rest fails.
      for (let done = 0; done < bytes.length;) done += fs.writeSync(fd, bytes, done);
      isTorn = false;
      size += bytes.length;
      if (size > compactOver) compact();
      isReported = false;
    });
  }

  /** A full disk must not stop the calls: sessions then end with this process. */
  function guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!isReported) log.warn("could not keep the sessions; they end when the hub stops", { file, error });
      isReported = true;
    }
  }

  function open(): number {
    fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return fs.openSync(file, "a", 0o600);
  }

  /** Returns the size of the file. */
  function load(): number {
    const stats = fs.statSync(file, { throwIfNoEntry: false });
    if (stats === undefined || stats.size > largestFile) return stats?.size ?? 0;
    const text = fs.readFileSync(file, "utf8");
    isTorn = text !== "" && !text.endsWith("\n");
    for (const line of text.split("\n")) applyLine(line);
    return stats.size;
  }

  function applyLine(line: string): void {
    const { end, key, record } = parseLine(line) ?? {};
    if (end !== undefined) remove(end);
    if (key !== undefined && record !== undefined && !isExpired(record)) keep(key, record, line.length + 1);
  }

  function compact(): void {
    if (size === 0 || liveBytes * 2 > size) return;
    const text = Array.from(records, ([key, record]) => formatLine(key, record)).join("");
    if (fd !== undefined) fs.closeSync(fd);
    fd = undefined;
    const draft = `${file}.draft`;
    fs.writeFileSync(draft, text, { mode: 0o600 });
    fs.renameSync(draft, file);
    size = Buffer.byteLength(text);
    isTorn = false;
  }
}

/** A port belongs to one process at a time, and its clients come back to the same port. */
export function sessionLogFile(folder: string, port: number): string {
  return join(folder, `${port}.jsonl`);
}

/** Removes the files of ports that were not used for a long time. */
export function pruneSessionLogs(folder: string, now = Date.now()): void {
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name);
    const stats = fs.statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() === true && now - stats.mtimeMs > week) fs.rmSync(path, { force: true });
  }
}

function formatLine(key: string, { token, version, client, logLevel, watched, at }: SessionRecord): string {
  return `${JSON.stringify({ key, token, version, client, logLevel, watched, at })}\n`;
}

interface ParsedLine {
  readonly end?: string | undefined;
  readonly key?: string | undefined;
  readonly record?: SessionRecord | undefined;
}

/** Undefined for a line that was cut off or that no Clawport wrote. */
function parseLine(line: string): ParsedLine | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isRecord(value)) return undefined;
    const { end, key, token, version, client, at } = value;
    const { logLevel, watched } = value;
    if (typeof end === "string") return { end };
    if (typeof key !== "string" || typeof token !== "string" || typeof at !== "number") return undefined;
    if (typeof version !== "string" || !isLegacyVersion(version) || !isRecord(client)) return undefined;
    const facts = { token, version, client: parseClientFacts(client, client.capabilities), at };
    return {
      key,
      record: {
        ...facts,
        ...(logLevels.includes(logLevel as McpLogLevel) ? { logLevel: logLevel as McpLogLevel } : {}),
        ...(Array.isArray(watched) ? { watched: watched.filter((uri) => typeof uri === "string") } : {}),
      },
    };
  } catch {
    return undefined;
  }
}

/** As many as fit: a client with more of them has to subscribe again after a restart. */
function boundedUris(uris: readonly string[] = []): readonly string[] | undefined {
  let chars = 0;
  const kept = uris.filter((uri) => (chars += uri.length) <= maxWatchedChars);
  return kept.length === 0 ? undefined : kept;
}

function bounded(client: SessionFacts["client"]): SessionFacts["client"] {
  const isShort = JSON.stringify(client.capabilities).length <= maxCapabilitiesLength;
  return isShort ? client : { ...client, capabilities: {} };
}
