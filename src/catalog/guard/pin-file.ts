import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, Fault, messageOf } from "../../core/fault.ts";
import { serverFileName } from "../../core/files/server-file-name.ts";
import { openStateFile } from "../../core/files/state-file.ts";
import { isRecord } from "../../core/is-record.ts";
import type { Log } from "../../core/log.ts";
import type { Finding } from "../screen/finding.ts";
import type { PinKind } from "./pin-definition.ts";

/** The definition that something had when it was first listed, or when a change of it was last accepted. */
export interface Pin {
  readonly kind: PinKind;
  /** The server's own name for it; empty for instructions. */
  readonly id: string;
  readonly hash: string;
  /** The pinned parts as JSON. Absent if they are too large to keep, or not known yet. */
  readonly definition?: string;
  /** The definition in lines, if it is not kept itself. */
  readonly text?: string;
  readonly at: string;
  /** The name to approve it by. Only what waits for an answer has one. */
  readonly name?: string;
  /** It was added after the server's first list, and no one has approved it yet. */
  readonly isNew?: boolean;
  /** Another definition that the server listed, until a person accepts or rejects it. */
  readonly offered?: OfferedDefinition;
  /** The version of the rules that have read it. */
  readonly screened?: number;
  /** What they found that a person has to look at, until one has. */
  readonly findings?: readonly Finding[];
  /** A person has looked at it, and accepted it. */
  readonly isCleared?: boolean;
  /** The hash of a definition that a person rejected. */
  readonly refused?: string;
}

export interface OfferedDefinition {
  readonly hash: string;
  /** Its parts as JSON. Absent if they are too large to keep: what can't be shown whole can't be accepted. */
  readonly definition?: string;
  readonly at: string;
  /** What screening found in it. */
  readonly findings?: readonly Finding[];
  /** The server lists the pinned definition again. */
  readonly isWithdrawn?: boolean;
}

/** All pins of one server. */
export interface ServerPins {
  readonly server: string;
  /** Whether a whole list was pinned. What is added to it later is new. */
  readonly isListed: boolean;
  readonly pins: readonly Pin[];
}

export interface PinFile {
  /** Reads at once: a list that has arrived is not shown before it was compared. Once for each server. */
  readNow(): ServerPins;
  read(): Promise<ServerPins>;
  /** Reads, changes and writes under a lock. Returns what is in the file afterwards. */
  update(edit: (current: ServerPins) => ServerPins): Promise<ServerPins>;
}

/** One file for each server, so that a server with many tools displaces no other server's pins. */
export function openPinFile(folder: string, server: string, log: Log): PinFile {
  const path = join(folder, serverFileName(server));
  const empty: ServerPins = { server, isListed: false, pins: [] };
  const { read, update } = openStateFile<ServerPins>({ path, parse: parseServerPins, empty, log });
  return {
    readNow() {
      const text = readNow(path);
      return (text === undefined ? undefined : parseIfGood(text)) ?? empty;
    },
    read,
    update,
  };
}

function readNow(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new Fault("io", `Could not read ${path}: ${messageOf(error)}. Check its permissions.`, { cause: error });
  }
}

/** The pins of all servers that have any, by the server's name. */
export async function readAllPins(folder: string): Promise<readonly ServerPins[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
  const files = names.filter((name) => name.endsWith(".json"));
  const all = await Promise.all(files.map(async (name) => parseIfGood(await readFile(join(folder, name), "utf8"))));
  return all.filter((pins) => pins !== undefined).toSorted((a, b) => (a.server < b.server ? -1 : 1));
}

/** Undefined if the text is damaged. The next update sets the file aside and reports it. */
function parseIfGood(text: string): ServerPins | undefined {
  try {
    return parseServerPins(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function parseServerPins(value: unknown): ServerPins {
  if (isRecord(value) && typeof value.server === "string" && Array.isArray(value.pins) && value.pins.every(isPin)) {
    return { server: value.server, isListed: value.isListed === true, pins: value.pins };
  }
  throw new Fault("corrupt", "This is not a list of pins.");
}

const kinds: readonly unknown[] = ["tool", "prompt", "instructions"] satisfies PinKind[];

function isPin(value: unknown): value is Pin {
  if (!isRecord(value) || !kinds.includes(value.kind)) return false;
  const { id, hash, at, definition, text, name, isNew, offered, refused } = value;
  return (
    [id, hash, at].every(isString) &&
    [definition, text, name, refused].every((each) => each === undefined || isString(each)) &&
    (isNew === undefined || typeof isNew === "boolean") &&
    (value.findings === undefined || (Array.isArray(value.findings) && value.findings.every(isRecord))) &&
    (offered === undefined || isOffered(offered))
  );
}

function isOffered(value: unknown): value is OfferedDefinition {
  if (!isRecord(value)) return false;
  return [value.hash, value.at].every(isString) && (value.definition === undefined || isString(value.definition));
}

const isString = (value: unknown): value is string => typeof value === "string";
