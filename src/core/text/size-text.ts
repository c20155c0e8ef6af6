import { countText } from "./count-text.ts";

/** A binary megabyte. */
export const megabyte = 1_048_576;

/** A size for messages, exact: one byte over a limit must not look like the limit. */
export function sizeText(bytes: number): string {
  if (bytes < megabyte) return countText(bytes, "byte");
  const whole = bytes / megabyte;
  return Number.isInteger(whole) ? `${whole} MB` : `${whole.toFixed(2)} MB (${bytes} bytes)`;
}
