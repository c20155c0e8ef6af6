import { rm } from "node:fs/promises";
import type { Home } from "../core/home.ts";
import { judgeMark, ownMark } from "../core/process-mark.ts";
import { readJsonFile } from "../core/read-json-file.ts";
import { writeFileAtomic } from "../core/write-file-atomic.ts";
import { hubFiles } from "./hub-files.ts";
import { isListening } from "./is-listening.ts";

/** What a running hub says of itself, for the other commands and for the next start. */
export interface HubRecord {
  readonly pid: number;
  /** With the place it tells this process from a later one with the same pid. */
  readonly processStart: string;
  readonly processPlace: string;
  readonly startedAt: string;
  /** Without a path: `http://127.0.0.1:8765`. */
  readonly address: string;
  readonly version: string;
}

/** The hub of this home that runs now. A record that a killed hub left behind is none. */
export async function findRunningHub(home: Home): Promise<HubRecord | undefined> {
  const file = await readJsonFile(hubFiles.record(home), parseRecord);
  if (file.state !== "good") return undefined;
  const record = file.value;
  const mark = { pid: record.pid, start: record.processStart, place: record.processPlace };
  const liveness = judgeMark(mark, ownMark("/proc"), "/proc");
  if (liveness !== "unknown") return liveness === "alive" ? record : undefined;
  const { hostname, port } = new URL(record.address);
  return (await isListening(hostname.replaceAll(/[[\]]/g, ""), Number(port))) ? record : undefined;
}

export async function writeHubRecord(
  home: Home,
  facts: Pick<HubRecord, "address" | "version" | "startedAt">,
): Promise<HubRecord> {
  const { pid, start, place } = ownMark("/proc");
  const record: HubRecord = { pid, processStart: start, processPlace: place, ...facts };
  await writeFileAtomic(hubFiles.record(home), `${JSON.stringify(record, undefined, 2)}\n`);
  return record;
}

export async function removeHubRecord(home: Home): Promise<void> {
  await rm(hubFiles.record(home), { force: true });
}

function parseRecord(value: unknown): HubRecord {
  const record = value as HubRecord;
  const texts = [record.processStart, record.processPlace, record.startedAt, record.address, record.version];
  if (
    !Number.isInteger(record.pid) ||
    !texts.every((text) => typeof text === "string") ||
    !URL.canParse(record.address)
  )
    throw new TypeError("this is no record of a hub");
  return record;
}
