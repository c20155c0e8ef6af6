/**
 * Text from outside made fit for a terminal: escape sequences and line breaks in a client's or tool's name
 * could otherwise move the cursor, rename the window or forge a line of our own.
 */
export function plainText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, "\u00B7");
}
