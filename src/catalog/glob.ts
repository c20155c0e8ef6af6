export type Matcher = (text: string) => boolean;

/**
 * `*` matches any characters, `?` matches one; everything else matches itself. This builds no regular expression: names
 * come from outside, and matching must not take more steps than the two lengths multiplied.
 */
export function compileGlob(pattern: string): Matcher {
  if (pattern === "*") return () => true;
  if (!/[*?]/.test(pattern)) return (text) => text === pattern;
  return (text) => matches(pattern, text);
}

/** One matcher for many patterns: true if any of them matches. */
export function compileGlobs(patterns: readonly string[]): Matcher {
  const plain = new Set(patterns.filter((pattern) => !/[*?]/.test(pattern)));
  const globs = patterns.filter((pattern) => /[*?]/.test(pattern)).map(compileGlob);
  return (text) => plain.has(text) || globs.some((glob) => glob(text));
}

function matches(pattern: string, text: string): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    if (pattern[next] === "*") {
      star = next++;
      resume = at;
    } else if (next < pattern.length && (pattern[next] === "?" || pattern[next] === text[at])) {
      next++;
      at++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[next] === "*") next++;
  return next === pattern.length;
}
