import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { reservedServerNames } from "../../../core/config/server-config.ts";
import { substituteEnv } from "../../../core/config/substitute-env.ts";
import { codeOf, isFault, messageOf } from "../../../core/fault.ts";
import { isLoopbackHostname } from "../../../core/http/addresses.ts";
import { isRecord } from "../../../core/is-record.ts";
import { fingerprintOf } from "../definition.ts";
import type { FoundClientFile } from "./find-client-files.ts";
import type { ImportedEntry, ImportedServer, ImportReading, SkippedEntry } from "./imported-server.ts";

/** What one file offers, or why it can't be read. */
export interface PlannedFile extends ImportReading {
  readonly file: FoundClientFile;
  readonly problem?: string;
}

export interface ImportPlan {
  readonly files: readonly PlannedFile[];
  /** What is to be added, by name. */
  readonly servers: Readonly<Record<string, ImportedServer>>;
  /** Environment variables that must be set from now on. */
  readonly needs: readonly string[];
}

const emptyReading: ImportReading = { taken: [], skipped: [] };

/** Reads the files and decides what to import. Writes nothing. */
export async function planImport(files: readonly FoundClientFile[], existing: ExistingConfig): Promise<ImportPlan> {
  const read = await Promise.all(files.map(readClientFile));
  const readings = chooseServers(
    read.map(({ file, reading }) => ({ client: file.client.id, reading })),
    existing,
  );
  const planned = read.map(({ file, problem }, index) => {
    return { file, ...(readings[index] ?? emptyReading), ...(problem !== undefined && { problem }) };
  });
  const servers = Object.fromEntries(
    planned.flatMap(({ taken }) => taken.map(({ name, server }) => [name, server] as const)),
  );
  const needs = new Set(substituteEnv(servers, {}).missing.map(({ name }) => name));
  return { files: planned, servers, needs: [...needs] };
}

async function readClientFile(
  file: FoundClientFile,
): Promise<{ readonly file: FoundClientFile; readonly reading: ImportReading; readonly problem?: string }> {
  try {
    const text = await readFile(file.path, "utf8");
    return { file, reading: await file.client.import.read(text, file) };
  } catch (error) {
    if (!isFault(error) && codeOf(error) === undefined) throw error;
    return { file, reading: emptyReading, problem: messageOf(error) };
  }
}

/** What one file offered. */
export interface ClientReading {
  readonly client: string;
  readonly reading: ImportReading;
}

export interface ExistingConfig {
  /** The servers that are configured already, as the file has them. */
  readonly servers: Readonly<Record<string, unknown>>;
  /** Where our own hub listens. */
  readonly hubPort: number;
}

/**
 * Gives each server a name, and leaves out those that are configured already under any name. The same files give the same
 * names each time, so a second import adds nothing.
 */
export function chooseServers(offers: readonly ClientReading[], existing: ExistingConfig): readonly ImportReading[] {
  const names = new Set([...reservedServerNames, ...Object.keys(existing.servers)]);
  const known = new Map(Object.entries(existing.servers).map(([name, server]) => [connectionKeyOf(server), name]));
  return offers.map(({ client, reading }) => {
    const taken: ImportedEntry[] = [];
    const skipped: SkippedEntry[] = [...reading.skipped];
    for (const each of reading.taken) {
      const isOwn = isOwnHub(each.server, existing.hubPort);
      const reason = isOwn ? "is Clawport itself" : explainDuplicate(known.get(connectionKeyOf(each.server)), existing);
      if (reason !== undefined) {
        const { name, project } = each;
        skipped.push({ name, reason, ...(!isOwn && { isDuplicate: true }), ...(project !== undefined && { project }) });
        continue;
      }
      const name = freeName(each.name, each.project === undefined ? client : basename(each.project), names);
      names.add(name);
      known.set(connectionKeyOf(each.server), name);
      const renamed = name === each.name ? {} : { nameThere: each.name };
      taken.push({ ...each, ...renamed, name, notes: [...renameNotesOf(each, name), ...each.notes] });
    }
    return { taken, skipped };
  });
}

function renameNotesOf(taken: ImportedEntry, name: string): string[] {
  return [
    ...(name === taken.name ? [] : [`was called "${taken.name}"`]),
    ...(taken.server.enabled === false ? ["is disabled, as it was there"] : []),
  ];
}

function explainDuplicate(twin: string | undefined, { servers }: ExistingConfig): string | undefined {
  if (twin === undefined) return undefined;
  return Object.hasOwn(servers, twin) ? `is already configured as ${twin}` : `is the same as ${twin}`;
}

/** The name itself; if it is taken, followed by its origin; if that is taken too, by a number. */
function freeName(wanted: string, origin: string, names: ReadonlySet<string>): string {
  const name = toName(wanted, 64);
  if (!names.has(name)) return name;
  const longer = `${toName(wanted, 40)}-${toName(origin, 20)}`;
  let candidate = longer;
  for (let count = 2; names.has(candidate); count++) candidate = `${longer}-${count}`;
  return candidate;
}

function toName(text: string, length: number): string {
  const name = text
    .replaceAll(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, length)
    .replace(/-+$/, "");
  return name === "" ? "server" : name;
}

/** Equal for servers that are reached in the same way with the same credentials, however their references are written. */
function connectionKeyOf(server: unknown): string {
  if (!isRecord(server)) return "";
  const { names } = substituteEnv(server, {});
  const placeholders = Object.fromEntries([...names].map((name) => [name, `\0${name}\0`]));
  const {
    url,
    command,
    args = [],
    env = {},
    cwd,
    headers = {},
    apiKey,
  } = substituteEnv(server, placeholders).value as Record<string, unknown>;
  const lowerCaseHeaders = Object.entries(headers as object).map(([name, value]: [string, unknown]) => [
    name.toLowerCase(),
    value,
  ]);
  const target =
    url === undefined ? { command, args, env, cwd } : { url, headers: Object.fromEntries(lowerCaseHeaders), apiKey };
  return fingerprintOf(target);
}

/** A hub that is its own server would offer its tools to itself without end. */
function isOwnHub({ url, command, args = [] }: ImportedServer, hubPort: number): boolean {
  const address = url === undefined ? null : URL.parse(url);
  if (address !== null) return isLoopbackHostname(address.hostname) && address.port === `${hubPort}`;
  const words = [command ?? "", ...args];
  // What `clawport install` enters names the program's file, wherever that is.
  if (/ serve --stdio --as [\w-]+( |$)/.test(words.join(" "))) return true;
  return words.some((word) => /(?:^|[/\\])clawport(?:@[\w.-]+|\.cmd)?$/.test(word));
}
