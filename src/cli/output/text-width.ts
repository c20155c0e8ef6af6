/** Characters that take two columns of a terminal: those of East Asia, and emoji. */
const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F200}-\u{1F2FF}\u{20000}-\u{3FFFD}\p{Emoji_Presentation}]/u;
/** Characters that take none: they change the one before them. */
const joined = /\p{Mn}|\p{Me}|\u200D|\uFE0F/u;

/** How many columns of a terminal the text takes. */
export function textWidth(text: string): number {
  // Most text is plain, and a list of tools is long.
  if (/^[\u0020-\u007E]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The beginning of the text that fits, with an ellipsis if that is not all. */
export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let cut = "";
  let used = 1;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width) break;
    cut += character;
  }
  return `${cut}…`;
}

function characterWidth(character: string): number {
  if (joined.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
