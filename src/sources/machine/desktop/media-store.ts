import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Caller, callerScopeKey, mayControl, scopeOfCaller } from "../../../catalog/caller.ts";
import type { Unsubscribe } from "../../../catalog/source.ts";
import { Fault } from "../../../core/fault.ts";
import { type FolderBounds, pruneFolder } from "../../../core/files/prune-folder.ts";
import type { Log } from "../../../core/log.ts";
import type { Resource } from "../../../mcp/messages/resources-and-prompts.ts";
import type { ContentBlock } from "../../../mcp/messages/tool.ts";
import { CapabilityFault } from "../capability.ts";

/** The latest pictures, in memory, and recordings, in files. Both are resources until this process ends. */
export interface MediaStore {
  /** Keeps a picture for a while and returns it as a block. */
  keepPicture(picture: Picture, caller: Caller): readonly ContentBlock[];
  /** A new file that only the user can read. */
  createFile(kind: string, ending: string): Promise<string>;
  /** The file as a link; for the gateway, which knows no links, with its content. */
  keepFile(file: MediaFile, caller: Caller): Promise<KeptFile>;
  /** A file that this node has made, for the caller it was made for. */
  findFile(path: string, caller: Caller): string | undefined;
  discard(path: string): Promise<void>;
  /** The same array until something changes. */
  resources(): readonly Resource[];
  /** Undefined if there is none at this address, or none that this caller may see. */
  read(uri: string, caller: Caller): Promise<{ readonly mimeType: string; readonly blob: string } | undefined>;
  onChange(listener: () => void): Unsubscribe;
}

export interface Picture {
  readonly data: Buffer;
  readonly mimeType: string;
  readonly title: string;
}

export interface MediaFile {
  readonly path: string;
  readonly mimeType: string;
  readonly title: string;
}

export interface KeptFile {
  readonly bytes: number;
  readonly media: readonly ContentBlock[];
}

interface Entry {
  readonly resource: Resource;
  readonly owner: string;
  readonly mimeType: string;
  readonly size: number;
  readonly data?: Buffer;
  readonly path?: string;
}

const maxPictures = 10;
const maxPictureBytes = 32 * 1024 * 1024;
const maxFiles = 50;
/** Larger files are not sent as a message: the caller has the path. */
const maxReadBytes = 18_000_000;
const bounds: FolderBounds = { maxAgeMs: 24 * 60 * 60 * 1000, maxFiles: 100, maxBytes: 1024 * 1024 * 1024 };

export interface MediaStoreOptions {
  /** `machine/media` in the state folder. */
  readonly folder: string;
  readonly log: Log;
  readonly clock?: () => number;
}

export function createMediaStore({ folder, log, clock = Date.now }: MediaStoreOptions): MediaStore {
  const entries = new Map<string, Entry>();
  const listeners = new Set<() => void>();
  let list: readonly Resource[] = [];

  function add(entry: Omit<Entry, "resource" | "owner">, title: string, caller: Caller): Resource {
    const kind = entry.data === undefined ? "recordings" : "pictures";
    const id = randomUUID();
    const uri = `machine://${kind}/${id}`;
    const { mimeType, size } = entry;
    const at = new Date(clock()).toISOString();
    const resource = { uri, name: `${kind}/${id}`, title, description: `Made at ${at}.`, mimeType, size };
    entries.set(uri, { ...entry, resource, owner: keyOf(caller) });
    dropOldest();
    list = Array.from(entries.values(), (kept) => kept.resource).toReversed();
    for (const listener of listeners) listener();
    return resource;
  }

  function dropOldest(): void {
    let [pictures, bytes, files] = [0, 0, 0];
    for (const [uri, { data, size }] of [...entries].toReversed()) {
      if (data === undefined) {
        if (++files > maxFiles) entries.delete(uri);
        continue;
      }
      bytes += size;
      if (++pictures > maxPictures || bytes > maxPictureBytes) entries.delete(uri);
    }
  }

  const isSeenBy = ({ owner }: Entry, caller: Caller): boolean => owner === keyOf(caller) || mayControl(caller);

  return {
    keepPicture({ data, mimeType, title }, caller) {
      add({ data, mimeType, size: data.length }, title, caller);
      return [{ type: "image", data: data.toString("base64"), mimeType }];
    },
    async createFile(kind, ending) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await pruneFolder(folder, log, clock(), bounds);
      const time = new Date(clock()).toISOString().replaceAll(/[:.]/g, "-");
      const path = join(folder, `${kind}-${time}-${randomUUID().slice(0, 8)}.${ending}`);
      // Whatever program writes to it, only the user can read it.
      await (await open(path, "wx", 0o600)).close();
      return path;
    },
    async keepFile({ path, mimeType, title }, caller) {
      const { size } = await stat(path);
      if (size === 0) throw new Fault("unavailable", "Nothing was recorded.");
      if (caller.door === "node" && size > maxReadBytes) throw tooLarge(size);
      const { uri } = add({ path, mimeType, size }, title, caller);
      const link = { type: "resource_link" as const, uri, name: basename(path), title, mimeType, size };
      if (caller.door !== "node") return { bytes: size, media: [link] };
      const blob = (await readFile(path)).toString("base64");
      return { bytes: size, media: [{ type: "resource", resource: { uri, mimeType, blob } }] };
    },
    findFile: (path, caller) =>
      [...entries.values()].find((entry) => entry.path === path && isSeenBy(entry, caller))?.path,
    discard: (path) => rm(path, { force: true }),
    resources: () => list,
    async read(uri, caller) {
      const entry = entries.get(uri);
      if (entry === undefined || !isSeenBy(entry, caller)) return undefined;
      const { data, path = "", mimeType, size } = entry;
      if (data !== undefined) return { mimeType, blob: data.toString("base64") };
      if (size > maxReadBytes) throw tooLarge(size);
      const content = await readFile(path).catch(() => undefined);
      return content && { mimeType, blob: content.toString("base64") };
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** What one caller has seen is not shown to another. */
function keyOf(caller: Caller): string {
  return callerScopeKey(scopeOfCaller(caller));
}

function tooLarge(size: number): CapabilityFault {
  const message = `The recording has ${size} bytes; at most ${maxReadBytes} can be sent. Record for a shorter time, or with a smaller \`maxWidth\`.`;
  return new CapabilityFault("PAYLOAD_TOO_LARGE", message, { code: "too-large" });
}
