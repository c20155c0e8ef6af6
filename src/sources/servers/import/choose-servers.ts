import { basename } from "node:path";
import { substituteEnv } from "../../../core/config/substitute-env.ts";
import { isRecord } from "../../../core/is-record.ts";
import { fingerprintOf } from "../definition-fingerprint.ts";
import type { ImportedServer, Reading, Skipped, Taken } from "./reading.ts";

/** What one file offered. */
export interface Offer {
  readonly client: string;
  readonly reading: Reading;
}

export interface Present {
  /** The servers that are configured already, as the file has them. */
  readonly servers: Readonly<Record<string, unknown>>;
  /** Where our own hub listens. */
  readonly hubPort: number;
}

/**
 * Finds a name for each server and leaves out those that are there already, under whatever name. The name is the same
 * each time for the same files: a second import adds nothing.
 */
export function chooseServers(offers: readonly Offer[], present: Present): readonly Reading[] {
  const names = new Set(Object.keys(present.servers));
  const known = new Map(Object.entries(present.servers).map(([name, server]) => [connectionOf(server), name]));
  return offers.map(({ client, reading }) => {
    const taken: Taken[] = [];
    const skipped: Skipped[] = [...reading.skipped];
    for (const each of reading.taken) {
      const reason = isOurselves(each.server, present.hubPort)
        ? "is Clawport itself"
        : explainTwin(known.get(connectionOf(each.server)), present);
      if (reason !== undefined) {
        skipped.push({ name: each.name, reason });
        continue;
      }
      const name = freeName(each.name, each.project === undefined ? client : basename(each.project), names);
      names.add(name);
      known.set(connectionOf(each.server), name);
      taken.push({ ...each, name, notes: [...remarksOf(each, name), ...each.notes] });
    }
    return { taken, skipped };
  });
}

function remarksOf(taken: Taken, name: string): string[] {
  return [
    ...(name === taken.name ? [] : [`was called "${taken.name}"`]),
    ...(taken.server.enabled === false ? ["is switched off, as it was there"] : []),
  ];
}

function explainTwin(twin: string | undefined, { servers }: Present): string | undefined {
  if (twin === undefined) return undefined;
  return Object.hasOwn(servers, twin) ? `is configured already, as ${twin}` : `is the same as ${twin}`;
}

/** The name as it is; where it is taken, with where it comes from behind it; and then with a number. */
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

/** Equal for servers that are reached in the same way with the same credentials, however their references are spelt. */
function connectionOf(server: unknown): string {
  if (!isRecord(server)) return "";
  const { names } = substituteEnv(server, {});
  const marks = Object.fromEntries([...names].map((name) => [name, `\0${name}\0`]));
  const {
    url,
    command,
    args = [],
    env = {},
    cwd,
    headers = {},
    apiKey,
  } = substituteEnv(server, marks).value as Record<string, unknown>;
  const lower = Object.entries(headers as object).map(([name, value]: [string, unknown]) => [
    name.toLowerCase(),
    value,
  ]);
  const target = url === undefined ? { command, args, env, cwd } : { url, headers: Object.fromEntries(lower), apiKey };
  return fingerprintOf(target);
}

/** A hub that is its own server would offer its tools to itself, for ever. */
function isOurselves({ url, command, args = [] }: ImportedServer, hubPort: number): boolean {
  const address = url === undefined ? null : URL.parse(url);
  if (address !== null)
    return /^(?:localhost|127\..*|\[::1\])$/.test(address.hostname) && address.port === `${hubPort}`;
  return [command ?? "", ...args].some((word) => /(?:^|[/\\])clawport(?:@[\w.-]+|\.cmd)?$/.test(word));
}
