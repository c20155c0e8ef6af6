/** The length of a text as JSON Schema counts it: in code points, not in UTF-16 units. */
export function countCharacters(text: string): number {
  let pairs = 0;
  for (let index = 0; index < text.length; index++) if ((text.codePointAt(index) ?? 0) > 0xffff) pairs++;
  return text.length - pairs;
}
