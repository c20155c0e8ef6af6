import { randomBytes } from "node:crypto";
import type { Home } from "../../core/files/home.ts";
import { readJsonFile } from "../../core/files/state-file.ts";
import { writeFileAtomic } from "../../core/files/write-file-atomic.ts";
import { isRecord } from "../../core/is-record.ts";
import type { Denial } from "./entries.ts";

/** What must stay the same between starts, since it is part of what we write into OpenClaw's configuration. */
export interface DoorFile {
  readonly token: string;
  /** The port used last. */
  readonly port?: number | undefined;
  /** Patterns that we added to lists of denied tools. */
  readonly denials: readonly Denial[];
}

const fileOf = (home: Home): string => home.file("openclaw-door.json");

export async function readDoorFile(home: Home): Promise<DoorFile> {
  const file = await readJsonFile(fileOf(home), parseDoorFile);
  return file.state === "good" ? file.value : { token: randomBytes(32).toString("base64url"), denials: [] };
}

export async function writeDoorFile(home: Home, file: DoorFile): Promise<void> {
  await writeFileAtomic(fileOf(home), `${JSON.stringify(file, undefined, 2)}\n`);
}

function parseDoorFile(value: unknown): DoorFile {
  if (!isRecord(value) || typeof value["token"] !== "string" || value["token"].length < 32)
    throw new TypeError("this is no file of OpenClaw's door");
  const { token, port, denials } = value;
  const known = Array.isArray(denials) ? denials.filter(isDenial) : [];
  return { token, port: Number.isInteger(port) ? (port as number) : undefined, denials: known };
}

function isDenial(value: unknown): value is Denial {
  if (!isRecord(value) || typeof value["pattern"] !== "string") return false;
  return value["agent"] === undefined || typeof value["agent"] === "string";
}
