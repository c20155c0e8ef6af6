/**
 * Control characters (a terminal would obey them), direction marks, and characters without a shape of their own: in a
 * text from outside they can hide what a person is about to allow.
 */
// oxlint-disable-next-line no-control-regex
const hidden = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029\u3164\uffa0]/gu;

/** The text with everything invisible spelled out, and of bounded length. Line breaks stay. */
export function visibleText(text: string, longest: number): string {
  const cut = text.length > longest ? text.slice(0, longest) : text;
  const shown = cut.replace(hidden, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
  return text.length > longest ? `${shown}… (${text.length} characters)` : shown;
}
