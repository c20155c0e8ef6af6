import type { OutgoingMessage } from "node:http";

/** A shorter text goes out in one piece with the head. */
const minSeparate = 16 * 1024;

/**
 * Ends a message with a text that has so many bytes of UTF-8. If each character is one byte, Node need not look for
 * others, and under the name "binary" of the same encoding it does not copy the text to put the head in front of it.
 */
export function endWithText(message: OutgoingMessage, text: string | undefined, bytes: number | undefined): void {
  if (text === undefined) message.end();
  else message.end(text, encodingOf(text, bytes));
}

/** The same for several texts, which are not put together. */
export function endWithTexts(message: OutgoingMessage, texts: readonly SizedText[]): void {
  for (const { text, bytes } of texts) message.write(text, encodingOf(text, bytes));
  message.end();
}

export interface SizedText {
  readonly text: string;
  readonly bytes: number;
}

export function sizedText(text: string): SizedText {
  return { text, bytes: Buffer.byteLength(text) };
}

function encodingOf(text: string, bytes: number | undefined): BufferEncoding {
  if (bytes !== text.length) return "utf8";
  return bytes < minSeparate ? "latin1" : "binary";
}
