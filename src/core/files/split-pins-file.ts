import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "../is-record.ts";
import { serverFileName } from "./server-file-name.ts";
import { readJsonFile } from "./state-file.ts";
import { writeFileAtomic } from "./write-file-atomic.ts";

/**
 * Splits `guard/pins.json`, which held the pins of all servers, into one file for each server. Those pins were made when a
 * tool was first called, so no list of theirs is whole. The old file stays under another name.
 */
export async function splitPinsFile(folder: string): Promise<void> {
  const path = join(folder, "guard", "pins.json");
  const file = await readJsonFile(path, (value) => (isRecord(value) && Array.isArray(value.pins) ? value.pins : []));
  if (file.state !== "good") return;
  const byServer = Map.groupBy(file.value.filter(isOldPin), ({ source }) => source);
  for (const [server, pins] of byServer) {
    const target = join(folder, "guard", "pins", serverFileName(server));
    if (existsSync(target)) continue;
    const content = { server, isListed: false, pins: pins.map(toPin) };
    await writeFileAtomic(target, `${JSON.stringify(content, undefined, 2)}\n`);
  }
  await rename(path, `${path}.split`);
}

interface OldPin {
  readonly name: string;
  readonly source: string;
  readonly tool: string;
  readonly hash: string;
  readonly text: string;
  readonly at: string;
  readonly offered?: { readonly hash: string; readonly text: string };
  readonly refused?: string;
}

function isOldPin(value: unknown): value is OldPin {
  if (!isRecord(value)) return false;
  const { name, source, tool, hash, text, at, offered } = value;
  return [name, source, tool, hash, text, at].every((each) => typeof each === "string") && isOffer(offered);
}

function isOffer(offered: unknown): boolean {
  if (offered === undefined) return true;
  return isRecord(offered) && typeof offered.hash === "string" && typeof offered.text === "string";
}

function toPin({ name, tool, hash, text, at, offered, refused }: OldPin): object {
  return {
    kind: "tool",
    id: tool,
    hash,
    text,
    at,
    name,
    ...(offered && { offered: { hash: offered.hash, text: offered.text, at } }),
    ...(typeof refused === "string" && { refused }),
  };
}
