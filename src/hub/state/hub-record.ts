import { open, rm } from "node:fs/promises";
import { Fault, isFault } from "../../core/fault.ts";
import { holdLock } from "../../core/files/file-lock.ts";
import type { Home } from "../../core/files/home.ts";
import { readJsonFile } from "../../core/files/state-file.ts";
import { cancelPendingWrite, writeWhenRoom } from "../../core/files/write-when-room.ts";
import { isListening } from "../../core/http/is-listening.ts";
import type { Log } from "../../core/log.ts";
import { judgeMark, ownMark } from "../../core/process/process-mark.ts";
import { hubFiles } from "./hub-files.ts";

const tryFor = 200;
const giveUpAfter = 15_000;

/**
 * Makes this process the only hub of its state folder, or reports where the running one is. The lock is held while the hub
 * lives: of two starts at the same moment, one waits until the other has written down its address.
 */
export async function claimHub(home: Home, log: Log): Promise<{ release(): Promise<void> }> {
  const deadline = performance.now() + giveUpAfter;
  for (;;) {
    try {
      return await holdLock(hubFiles.lock(home), { waitMs: tryFor, log });
    } catch (error) {
      if (!isFault(error, "locked")) throw error;
      const running = await findRunningProcess(home);
      if (running !== undefined) throw alreadyRuns(running);
      if (performance.now() > deadline) throw error;
    }
  }
}

function alreadyRuns(record: ProcessRecord): Fault {
  const { address, pid, host } = record;
  if (address === undefined) {
    const message = `a node of this state folder is already running (PID ${pid}); stop it with \`clawport stop\``;
    return new Fault("conflict", message, { detail: { pid } });
  }
  if (host === "openclaw") {
    const message = `OpenClaw's gateway (PID ${pid}) already keeps the servers of this state folder, at ${address}/mcp; use that, or choose another folder with \`--home\``;
    return new Fault("conflict", message, { detail: { address, pid } });
  }
  const message = `the hub is already running at ${address}/mcp; use it, or stop it with \`clawport stop\``;
  return new Fault("conflict", message, { detail: { address, pid } });
}

/** What a running hub or node writes down for the other commands and for the next start. */
export interface ProcessRecord {
  readonly pid: number;
  /** Together with the place it distinguishes this process from a later one with the same pid. */
  readonly processStart: string;
  readonly processPlace: string;
  readonly startedAt: string;
  /** Without a path: `http://127.0.0.1:8765`. Undefined for a node that serves no MCP clients. */
  readonly address?: string | undefined;
  /** Where commands and relays connect. Hubs of earlier versions have none. */
  readonly socket?: string | undefined;
  readonly version: string;
  /** OpenClaw's gateway, if the hub is the plugin in it. */
  readonly host?: "openclaw" | undefined;
  /** How much longer it takes to stop than a hub without apps to hand over, in milliseconds. */
  readonly drainMs?: number;
}

/** One that other commands can talk to. */
export interface HubRecord extends ProcessRecord {
  readonly address: string;
}

/** The running hub of this state folder; undefined if there is none, or only the record of one that was killed. */
export async function findRunningHub(home: Home): Promise<HubRecord | undefined> {
  const running = await findRunningProcess(home);
  return running !== undefined && hasAddress(running) ? running : undefined;
}

const hasAddress = (record: ProcessRecord): record is HubRecord => record.address !== undefined;

/** The same, and a node that serves no MCP clients, too. */
export async function findRunningProcess(home: Home): Promise<ProcessRecord | undefined> {
  const file = await readJsonFile(hubFiles.record(home), parseRecord);
  if (file.state !== "good") return undefined;
  const record = file.value;
  const mark = { pid: record.pid, start: record.processStart, place: record.processPlace };
  const liveness = judgeMark(mark, ownMark("/proc"), "/proc");
  if (liveness !== "unknown") return liveness === "alive" ? record : undefined;
  if (record.address === undefined) return undefined;
  const { hostname, port } = new URL(record.address);
  return (await isListening(hostname.replaceAll(/[[\]]/g, ""), Number(port))) ? record : undefined;
}

export async function writeHubRecord<Facts extends Omit<ProcessRecord, "pid" | "processStart" | "processPlace">>(
  home: Home,
  facts: Facts,
): Promise<ProcessRecord & Facts> {
  const { pid, start, place } = ownMark("/proc");
  const record = { pid, processStart: start, processPlace: place, ...facts };
  const [path, text] = [hubFiles.record(home), `${JSON.stringify(record, undefined, 2)}\n`];
  // On a full disk the record of a hub that was killed still has its block. Without one, other commands find the hub later.
  if (!(await writeWhenRoom(path, text)) && (await overwrite(path, text))) cancelPendingWrite(path);
  return record;
}

/** Spaces fill what the old text had more. False if there is no file, or if the text is too long for it. */
async function overwrite(path: string, text: string): Promise<boolean> {
  const file = await open(path, "r+").catch(() => undefined);
  try {
    const { size = 0 } = (await file?.stat()) ?? {};
    await file?.write(text.padEnd(size), 0);
    return file !== undefined;
  } catch {
    return false;
  } finally {
    await file?.close();
  }
}

export async function removeHubRecord(home: Home): Promise<void> {
  cancelPendingWrite(hubFiles.record(home));
  await rm(hubFiles.record(home), { force: true });
}

function parseRecord(value: unknown): ProcessRecord {
  const record = value as ProcessRecord;
  const texts = [record.processStart, record.processPlace, record.startedAt, record.version];
  const { address, socket } = record;
  if (
    !Number.isInteger(record.pid) ||
    !texts.every((text) => typeof text === "string") ||
    (socket !== undefined && typeof socket !== "string") ||
    (address !== undefined && !(typeof address === "string" && URL.canParse(address)))
  )
    throw new TypeError("this is no record of a hub");
  return record;
}
