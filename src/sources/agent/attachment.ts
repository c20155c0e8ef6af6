import type { MediaKind } from "./media-limits.ts";

/** Something that came with an order, checked. Its content is read when it is sent on, and not before. */
export interface Attachment {
  readonly kind: MediaKind;
  /** Safe as a file name, and different from those of the order's other attachments. */
  readonly name: string;
  readonly mimeType: string;
  /** Decoded. */
  readonly bytes: number;
  base64(): Promise<string>;
}
