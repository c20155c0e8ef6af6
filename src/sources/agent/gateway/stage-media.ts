import { randomUUID } from "node:crypto";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Attachment } from "../attachment.ts";

/**
 * Puts attachments where a gateway on this machine keeps what came in, and gives the lines by which it refers to them:
 * the same place and the same words that it uses itself for files too large for a prompt. OpenClaw clears that folder.
 */
export async function stageMedia(attachments: readonly Attachment[], stateFolder: string): Promise<readonly string[]> {
  const folder = join(stateFolder, "media", "inbound");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lines: string[] = [];
  for (const attachment of attachments) {
    const id = stagedName(attachment.name);
    await writeFile(join(folder, id), Buffer.from(await attachment.base64(), "base64"), { mode: 0o600, flag: "wx" });
    lines.push(`[media attached: media://inbound/${id}]`);
  }
  return lines;
}

/** Whether this user can write where the gateway reads. */
export async function canStage(stateFolder: string | undefined): Promise<boolean> {
  if (stateFolder === undefined) return false;
  try {
    return (await stat(stateFolder)).isDirectory();
  } catch {
    return false;
  }
}

/** OpenClaw's own pattern: the name for people, an id that never repeats, the ending. */
function stagedName(name: string): string {
  const [, stem = "file", ending = ""] = /^(.*?)((?:\.[A-Za-z0-9]{1,10})?)$/s.exec(name) ?? [];
  const plain = stem
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .slice(0, 60);
  return `${plain || "file"}---${randomUUID()}${ending}`;
}
