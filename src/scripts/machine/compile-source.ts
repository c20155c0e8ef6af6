import { stripTypeScriptTypes } from "node:module";

/**
 * The forms in which a script may be meant, likeliest first: a function that should run, or the body of one, which may use
 * `await` and `return`. The first line stays the first line.
 */
export function wrapSource(code: string): readonly string[] {
  const body = `(async () => { ${code}\n})`;
  const isFunction = /^\s*(?:async\b\s*)?(?:function\b|\(?[\w\s,{}:]*\)?\s*=>)/.test(code);
  return isFunction ? [`(async () => { return (${code.trimEnd().replace(/;+$/, "")}\n)})`, body] : [body];
}

/** The same without types, at the same places. Throws what a person can read if it is no TypeScript either. */
export function withoutTypes(source: string): string {
  const { emitWarning } = process;
  // Node says that it is experimental, on stderr and once; the package pins what it needs of it by its tests.
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
