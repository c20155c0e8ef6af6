import { Fault } from "../../../core/fault.ts";
import type { Attachment } from "../attachment.ts";
import { sizeText } from "../media-limits.ts";
import type { GatewayLimits } from "./open-gateway.ts";

/** Room in a frame for the message's own words and fields. */
const frameRest = 262_144;

export interface Packing {
  /** Travel inside the request. */
  readonly inFrame: readonly Attachment[];
  /** Have to be put where the gateway reads them itself. */
  readonly staged: readonly Attachment[];
}

/** Which attachments fit into one request to this gateway, in order; the rest has to be staged. */
export function packAttachments(
  attachments: readonly Attachment[],
  messageBytes: number,
  limits: GatewayLimits,
): Packing {
  let left = limits.frameBytes - frameRest - messageBytes;
  const inFrame: Attachment[] = [];
  const staged: Attachment[] = [];
  for (const attachment of attachments) {
    const most = attachment.kind === "image" ? limits.imageBytes : limits.attachmentBytes;
    const encoded = Math.ceil(attachment.bytes / 3) * 4;
    if (attachment.bytes <= most && encoded <= left) {
      left -= encoded;
      inFrame.push(attachment);
    } else staged.push(attachment);
  }
  return { inFrame, staged };
}

/** For gateways on other machines, where nothing can be staged. */
export function overLimit(
  staged: readonly Attachment[],
  { frameBytes, imageBytes, attachmentBytes }: GatewayLimits,
): Fault {
  const items = staged.map(({ name, bytes }) => `${JSON.stringify(name)} with ${sizeText(bytes)}`).join(", ");
  const message =
    `Nothing was sent to OpenClaw: its gateway takes images up to ${sizeText(imageBytes)}, other files up to ` +
    `${sizeText(attachmentBytes)}, and ${sizeText(frameBytes)} of base64 in one request; left over would be ${items}.`;
  return new Fault("too-large", message);
}
