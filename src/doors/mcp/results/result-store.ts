import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import { quoted } from "../../../core/text/peer-text.ts";
import { isSameSecret, lazyCrypto, randomHex } from "../../../core/secrets/crypto.ts";
import { atOnce, inSlices, sliceChars, type SlicedWork } from "../../../core/slices/in-slices.ts";
import { slicesOf } from "../../../core/slices/text-slices.ts";
import { createSerialQueue } from "../../../core/serial-queue.ts";
import { spanText } from "../../../core/text/span-text.ts";
import { createWriteBehind } from "./write-behind.ts";

export interface ResultStoreOptions {
  readonly folder: string;
  readonly keepMs: number;
  readonly maxBytes: number;
  readonly log: Log;
  readonly clock?: (() => number) | undefined;
}

export interface KeptResult {
  readonly id: string;
  readonly bytes: number;
  readonly lines: number;
}

/** The text of a kept result. Offsets count bytes of UTF-8. */
export interface OpenedResult extends AsyncDisposable, KeptResult {
  /** Fewer bytes only at the end. */
  read(offset: number, length: number): Promise<Buffer>;
}

/**
 * Texts on disk, each for the caller that got it, for a limited time and within a limited size. Processes of the same
 * state folder share it, and it outlives them.
 */
export interface ResultStore {
  /** Undefined if the text can't be kept: it is larger than all may be together, or the disk refuses it. */
  put(owner: string, text: string): Promise<KeptResult | undefined>;
  /** Faults with `not-found` if it is gone, or another caller's: the two can't be told apart. */
  open(owner: string, id: string): Promise<OpenedResult>;
  /** Removes what is too old. */
  sweep(): Promise<void>;
  /** Resolves when everything is on the disk. */
  close(): Promise<void>;
}

const maxFiles = 10_000;
const sweepEveryMs = 60_000;
/** The owner's hash, the number of lines, and a line break. */
const headerBytes = 64 + 1 + 12 + 1;
// A link may lead anywhere, and opening a pipe would wait for its writer. Windows has neither flag.
const readOnly = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const draftEnding = ".draft";
/** A draft this old was left by a process that died. */
const draftMs = 600_000;
/** How long this process may write into its share of the room without a look at what the others have written. */
const spareMs = 1000;
const share = (max: number): number => max / 16;
/** Characters that are written at once. */
const maxPiece = 4 * sliceChars;

const noSpare = { bytes: 0, files: 0, until: 0 };

type Content = Buffer | (() => Generator<string>);

interface Entry {
  readonly file: string;
  readonly createdAt: number;
  readonly bytes: number;
}

export function openResultStore(options: ResultStoreOptions): ResultStore {
  const { folder, keepMs, maxBytes, log, clock = Date.now } = options;
  /** The oldest first. */
  let entries = new Map<string, Entry>();
  /** What may be written before the folder is read again: with thousands of results, reading it takes most of the time. */
  let spare = noSpare;
  // What the disk refuses now it will refuse again: the next callers wait, and get the whole text.
  const behind = createWriteBehind(log, () => (spare = noSpare));
  /** Two that make room at the same time would count the same bytes twice. */
  const runSerially = createSerialQueue();
  const timer = setInterval(() => void sweep(), Math.min(keepMs, sweepEveryMs)).unref();

  /** Other processes put and remove files, too. Returns the bytes of the drafts. */
  async function readFolder(): Promise<number> {
    const names = await readdir(folder).catch(() => []);
    const found = names.flatMap((name) => parseFileName(name) ?? []).toSorted((a, b) => a.createdAt - b.createdAt);
    entries = new Map(found.map((entry) => [entry.id, { ...entry, file: join(folder, entry.name) }]));
    let drafted = 0;
    for (const name of names) {
      const draft = parseDraftName(name);
      if (draft === undefined) continue;
      if (clock() - draft.createdAt > draftMs) await remove(join(folder, name));
      else drafted += draft.bytes;
    }
    return drafted;
  }

  /**
   * Removes the oldest until all that is there fits, what is still being written included: of two processes that write at
   * the same time at least one sees the draft of the other. If it has to, it removes some more, so that the next ones need
   * not. Returns false if the drafts alone are too large.
   */
  async function makeRoom(): Promise<boolean> {
    let total = await readFolder();
    if (total > maxBytes) return false;
    for (const entry of entries.values()) total += entry.bytes;
    const isFull = total > maxBytes || entries.size >= maxFiles;
    const [bytes, files] = isFull ? [maxBytes - share(maxBytes), maxFiles - share(maxFiles)] : [maxBytes, maxFiles];
    behind.forget((id) => parseId(id)! + keepMs <= clock());
    for (const [id, entry] of entries) {
      const isOld = entry.createdAt + keepMs <= clock();
      if (!isOld && total <= bytes && entries.size < files) break;
      await remove(entry.file);
      entries.delete(id);
      total -= entry.bytes;
    }
    spare = {
      bytes: Math.min(share(maxBytes), (maxBytes - total) / 2),
      files: Math.min(share(maxFiles), (maxFiles - entries.size) / 2),
      until: clock() + spareMs,
    };
    return true;
  }

  /** Whether a result of this size fits without a look at the folder. */
  function takeSpare(size: number): boolean {
    if (spare.bytes < size || spare.files < 1 || clock() >= spare.until) return false;
    spare = { ...spare, bytes: spare.bytes - size, files: spare.files - 1 };
    return true;
  }

  async function sweep(): Promise<void> {
    await runSerially(makeRoom).catch((error: unknown) => log.warn("could not remove old results", { folder, error }));
  }

  async function find(id: string): Promise<Entry | undefined> {
    if (!entries.has(id)) await runSerially(readFolder);
    return entries.get(id);
  }

  function place(size: number): Entry & { readonly id: string } {
    const createdAt = clock();
    const id = `${Math.floor(createdAt).toString(36)}-${randomHex(16)}`;
    return { id, file: join(folder, `${id}.${size}`), createdAt, bytes: size };
  }

  /** Without a wait, if there is room for it. */
  function putBehind(content: Buffer): string | undefined {
    if (!takeSpare(content.length)) return undefined;
    const { id, ...entry } = place(content.length);
    if (!behind.write(id, entry.file, content)) return undefined;
    entries.set(id, entry);
    return id;
  }

  async function putNow(content: Content, size: number): Promise<string> {
    const { id, ...entry } = place(size);
    const draft = `${entry.file}${draftEnding}`;
    try {
      await writeDraft(draft, content);
      if (!takeSpare(size) && !(await makeRoom()))
        throw new Fault("too-large", "Other results are being written. There is no room.");
      await rename(draft, entry.file);
    } catch (error) {
      await remove(draft).catch(() => {});
      throw error;
    }
    entries.set(id, entry);
    return id;
  }

  async function writeDraft(draft: string, content: Content): Promise<void> {
    const write = (): Promise<void> =>
      writeFile(draft, typeof content === "function" ? content() : content, { mode: 0o600, flag: "wx" });
    await write().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await write();
    });
  }

  return {
    async put(owner, text) {
      const isLong = text.length > maxPiece;
      const lines = isLong ? await inSlices(countLines(text)) : atOnce(countLines(text));
      const header = `${hashed(owner)} ${String(lines).padStart(12)}\n`;
      const content = isLong ? () => contentOf(header, text) : Buffer.from(header + text);
      const size = Buffer.isBuffer(content) ? content.length : headerBytes + (await inSlices(countBytes(text)));
      if (size > maxBytes) return undefined;
      try {
        const id =
          (Buffer.isBuffer(content) ? putBehind(content) : undefined) ??
          (await runSerially(() => putNow(content, size)));
        return { id, bytes: size - headerBytes, lines };
      } catch (error) {
        log.warn("could not keep a large result; it is passed on whole", { folder, error });
        return undefined;
      }
    },
    async open(owner, id) {
      const createdAt = parseId(id);
      if (createdAt === undefined)
        throw new Fault("not-found", `${quoted(id, 80)} is not the id of a result. Copy it from the result's preview.`);
      if (createdAt + keepMs <= clock()) throw expired(id, keepMs);
      const held = behind.get(id);
      if (held !== undefined) return openHeld(owner, id, held);
      const entry = await find(id);
      // What is not a file of ours, such as a link or a pipe, is not read.
      const file = entry && (await open(entry.file, readOnly).catch(() => undefined));
      if (entry === undefined || file === undefined) throw gone(id);
      try {
        const found = await file.stat();
        if (!found.isFile() || found.size !== entry.bytes) throw gone(id);
        const kept = readHeader(owner, id, await readAll(file, 0, headerBytes), entry.bytes);
        const { bytes } = kept;
        return {
          ...kept,
          read: (offset, length) => readAll(file, headerBytes + offset, Math.min(length, bytes - offset)),
          [Symbol.asyncDispose]: () => file.close(),
        };
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    sweep,
    close() {
      clearInterval(timer);
      return behind.settled();
    },
  };
}

async function readAll(file: Awaited<ReturnType<typeof open>>, position: number, length: number): Promise<Buffer> {
  if (length <= 0) return Buffer.alloc(0);
  const buffer = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(buffer, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}

function* contentOf(header: string, text: string): Generator<string> {
  yield header;
  yield* slicesOf(text, maxPiece);
}

function* countBytes(text: string): SlicedWork<number> {
  let bytes = 0;
  for (const piece of slicesOf(text)) {
    bytes += Buffer.byteLength(piece);
    yield;
  }
  return bytes;
}

function* countLines(text: string): SlicedWork<number> {
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    lines++;
    if (lines % 10_000 === 0) yield;
  }
  return lines;
}

function openHeld(owner: string, id: string, content: Buffer): OpenedResult {
  return {
    ...readHeader(owner, id, content, content.length),
    read: (offset, length) => Promise.resolve(content.subarray(headerBytes).subarray(offset, offset + length)),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Faults if it is not the owner's. */
function readHeader(owner: string, id: string, start: Buffer, size: number): KeptResult {
  const header = start.toString("latin1", 0, headerBytes);
  if (!isSameSecret(header.slice(0, 64), hashed(owner))) throw gone(id);
  return { id, bytes: size - headerBytes, lines: Number(header.slice(65)) };
}

/** When it was made; undefined if that is no id. */
function parseId(id: string): number | undefined {
  const time = /^([0-9a-z]{1,9})-[0-9a-f]{32}$/.exec(id)?.[1];
  return time === undefined ? undefined : Number.parseInt(time, 36);
}

function parseFileName(name: string) {
  const [id = "", bytes = "", ...more] = name.split(".");
  const createdAt = parseId(id);
  if (createdAt === undefined || !/^\d{1,15}$/.test(bytes) || more.length > 0) return undefined;
  return { name, id, createdAt, bytes: Number(bytes) };
}

function parseDraftName(name: string) {
  return name.endsWith(draftEnding) ? parseFileName(name.slice(0, -draftEnding.length)) : undefined;
}

/** Whatever it is: nearly always a file, and one step is enough then. */
function remove(path: string): Promise<void> {
  return unlink(path).catch(() => rm(path, { force: true, recursive: true }));
}

/** What is written down of an owner: its key says which token it has. */
function hashed(owner: string): string {
  return lazyCrypto().hash("sha256", owner, "hex");
}

function expired(id: string, keepMs: number): Fault {
  return new Fault(
    "not-found",
    `The result ${id} is gone: results are kept for ${spanText(keepMs)}. Call the tool again to get a new one.`,
  );
}

function gone(id: string): Fault {
  return new Fault(
    "not-found",
    `There is no result ${id} here for you. It may have made room for newer ones, or belong to another token. Call the tool again to get a new one.`,
  );
}
