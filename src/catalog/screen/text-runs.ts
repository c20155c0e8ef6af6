/** A run of characters of one kind in a text. */
export interface Run {
  readonly start: number;
  readonly end: number;
}

/** Which of the first 128 characters are of a kind. */
export type CharacterSet = Uint8Array;

export function charactersOf(pattern: RegExp): CharacterSet {
  return Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
}

const has = (set: CharacterSet, code: number): boolean => code < 128 && set[code] === 1;

/** The whole runs of at least `min` characters. Only every `min`-th character is looked at, and the rest where that one fits. */
export function* longRuns(text: string, set: CharacterSet, min: number): Generator<Run, void, undefined> {
  let from = 0;
  for (let probe = min - 1; probe < text.length; probe += min) {
    if (!has(set, text.charCodeAt(probe))) continue;
    let start = probe;
    while (start > from && has(set, text.charCodeAt(start - 1))) start--;
    let end = probe + 1;
    while (end < text.length && has(set, text.charCodeAt(end))) end++;
    if (end - start >= min) yield { start, end };
    from = end;
    probe = end - 1;
  }
}

export function hasLongRun(text: string, set: CharacterSet, min: number): boolean {
  for (const _ of longRuns(text, set, min)) return true;
  return false;
}

/** Parts between two marks, as long as allowed; a part that nothing ends goes on to the end of the text if `isOpen`. */
export function* partsBetween(
  text: string,
  opening: string,
  closing: string,
  { min, max, isOpen = false }: { readonly min: number; readonly max: number; readonly isOpen?: boolean },
): Generator<string, void, undefined> {
  let close = -1;
  for (let open = text.indexOf(opening); open !== -1;) {
    const start = open + opening.length;
    if (close !== Infinity && close < start + min) {
      close = text.indexOf(closing, start + min);
      if (close === -1) close = Infinity;
    }
    const isEnding = isOpen && close === Infinity && text.length - start >= min && text.length - start <= max;
    if (isEnding || close - start <= max) {
      const end = Math.min(close, text.length);
      yield text.slice(start, end);
      open = text.indexOf(opening, isEnding ? end : end + closing.length);
    } else open = text.indexOf(opening, open + 1);
  }
}
