/** How many characters after a value its comma ends, or 0 where it has none. Commas inside comments don't count. */
export function commaAfter(text: string, offset: number): number {
  const comma = /(?:\s|\/\/[^\n\r\u2028\u2029]*(?=[\n\r\u2028\u2029])|\/\*(?:[^*]|\*(?!\/))*\*\/)*,/y;
  comma.lastIndex = offset;
  return comma.exec(text)?.[0].length ?? 0;
}

/** The comment that belongs to the line it stands on. */
export function sameLineRemark(text: string): string {
  return /^[ \t]*(?:\/\/[^\n\r\u2028\u2029]*|\/\*(?:[^*\n\r]|\*(?!\/))*\*\/)/.exec(text)?.[0] ?? "";
}
