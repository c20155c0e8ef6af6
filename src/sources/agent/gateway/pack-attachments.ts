import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { Fault } from "../../../core/fault.ts";
import { saveMedia } from "../../../core/files/save-media.ts";
import { sizeText } from "../../../core/text/size-text.ts";
import type { GatewayLimits } from "../../../openclaw/open-gateway.ts";
import type { Attachment } from "../media/check-media.ts";

/** Bytes of a frame kept free for the request's other fields. */
const frameReserve = 262_144;

export interface PackedAttachments {
  /** Sent inside the request. */
  readonly inFrame: readonly Attachment[];
  /** To be written to a folder the gateway reads. */
  readonly staged: readonly Attachment[];
}

/** Decides which attachments fit into one request to this gateway, in order; the rest must be staged. */
export function packAttachments(
  attachments: readonly Attachment[],
  messageBytes: number,
  limits: GatewayLimits,
): PackedAttachments {
  let left = limits.frameBytes - frameReserve - messageBytes;
  const inFrame: Attachment[] = [];
  const staged: Attachment[] = [];
  for (const attachment of attachments) {
    const maxBytes = attachment.kind === "image" ? limits.imageBytes : limits.attachmentBytes;
    const encoded = Math.ceil(attachment.bytes / 3) * 4;
    if (attachment.bytes <= maxBytes && encoded <= left) {
      left -= encoded;
      inFrame.push(attachment);
    } else staged.push(attachment);
  }
  return { inFrame, staged };
}

/** For gateways on other machines, where nothing can be staged. */
export function attachmentsTooLarge(
  staged: readonly Attachment[],
  { frameBytes, imageBytes, attachmentBytes }: GatewayLimits,
): Fault {
  const items = staged.map(({ name, bytes }) => `${JSON.stringify(name)} (${sizeText(bytes)})`).join(", ");
  const message =
    `Nothing was sent to OpenClaw: its gateway accepts images up to ${sizeText(imageBytes)}, other files up to ` +
    `${sizeText(attachmentBytes)}, and ${sizeText(frameBytes)} of base64 in one request. These do not fit: ${items}.`;
  return new Fault("too-large", message);
}

/**
 * Writes attachments to the folder where a gateway on this machine keeps incoming media, and returns the lines that refer to
 * them: the same folder and the same lines that OpenClaw uses for files too large for a prompt. OpenClaw clears the folder.
 */
export async function stageAttachments(
  attachments: readonly Attachment[],
  stateFolder: string,
): Promise<readonly string[]> {
  const folder = join(stateFolder, "media", "inbound");
  const lines: string[] = [];
  for (const attachment of attachments) {
    const content = Buffer.from(await attachment.base64(), "base64");
    const { path } = await saveMedia({ content, name: stagedName(attachment.name) }, folder);
    lines.push(`[media attached: media://inbound/${basename(path)}]`);
  }
  return lines;
}

/** Whether the gateway's state folder is on this machine. */
export async function canStage(stateFolder: string | undefined): Promise<boolean> {
  if (stateFolder === undefined) return false;
  try {
    return (await stat(stateFolder)).isDirectory();
  } catch {
    return false;
  }
}

/** OpenClaw's own pattern: a readable name, a unique id, the extension. */
function stagedName(name: string): string {
  const [, stem = "file", extension = ""] = /^(.*?)((?:\.[A-Za-z0-9]{1,10})?)$/s.exec(name) ?? [];
  const plain = stem
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .slice(0, 60);
  return `${plain || "file"}---${randomUUID()}${extension}`;
}
