import { Fault } from "../../fault.ts";
import { type ConfigPath, pathKey } from "../config-path.ts";

/** Offsets into the text: of a value, of the key before it, and of what follows it. */
export interface EntryOffsets {
  readonly key: number;
  readonly value: number;
  readonly end: number;
}

export interface Json5Document {
  readonly value: unknown;
  /** By `pathKey`. */
  readonly places: ReadonlyMap<string, EntryOffsets>;
  /** Keys that are twice in one object. In JSON5 the last one wins, but a person who wrote both meant something else. */
  readonly repeated: readonly { readonly path: ConfigPath; readonly offset: number }[];
}

export class Json5Fault extends Fault {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super("config", message);
    this.offset = offset;
  }
}

const deepest = 64;
const space = /(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/)+/y;
const string = /"(?:[^"\\\n\r]|\\(?:\r\n|[^]))*"|'(?:[^'\\\n\r]|\\(?:\r\n|[^]))*'/y;
const number = /[+-]?(?:Infinity|NaN|0[xX][\dA-Fa-f]+|(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)/y;
const name =
  /(?:[$_\p{L}\p{Nl}]|\\u[\dA-Fa-f]{4})(?:[$_\u200C\u200D\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]|\\u[\dA-Fa-f]{4})*/uy;
const word = /[^\s,:[\]{}"'/]{1,40}/y;

/** Reads JSON5 and the offset of every value. The first thing that is not JSON5 is a fault with its offset. */
export function readJson5(text: string): Json5Document {
  let at = 0;
  const places = new Map<string, EntryOffsets>();
  const repeated: { path: ConfigPath; offset: number }[] = [];

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const skipSpace = (): void => {
    take(space);
    if (text.startsWith("/*", at)) throw new Json5Fault(at, "This comment has no end; close it with */");
  };
  const takeMark = (mark: string): boolean => {
    skipSpace();
    if (text[at] !== mark) return false;
    at++;
    return true;
  };
  const isQuote = (): boolean => text[at] === '"' || text[at] === "'";
  const fail = (expected: string): never => {
    skipSpace();
    const offset = at;
    if (offset >= text.length) throw new Json5Fault(offset, `The file ends too early: ${expected} is missing.`);
    if (isQuote()) throw new Json5Fault(offset, `Expected ${expected}, found a string.`);
    throw new Json5Fault(offset, `Expected ${expected}, found ${JSON.stringify(take(word) ?? text[offset])}.`);
  };

  function readValue(path: ConfigPath, key: number): unknown {
    skipSpace();
    const start = at;
    const content = readContent(path);
    places.set(pathKey(path), { key, value: start, end: at });
    return content;
  }

  function readContent(path: ConfigPath): unknown {
    if (path.length > deepest) throw new Json5Fault(at, `Nested more than ${deepest} levels deep.`);
    if (takeMark("{")) return readObject(path);
    if (takeMark("[")) return readList(path);
    return isQuote() ? readText() : readPlain();
  }

  function readObject(path: ConfigPath): unknown {
    const entries = new Map<string, unknown>();
    while (!takeMark("}")) {
      const offset = at;
      const key = isQuote() ? readText() : readName();
      if (!takeMark(":")) fail('":" after the key');
      if (entries.has(key)) repeated.push({ path: [...path, key], offset });
      entries.set(key, readValue([...path, key], offset));
      if (takeMark(",")) continue;
      if (takeMark("}")) break;
      fail('"," or "}"');
    }
    return Object.fromEntries(entries);
  }

  function readList(path: ConfigPath): unknown {
    const items: unknown[] = [];
    while (!takeMark("]")) {
      skipSpace();
      items.push(readValue([...path, items.length], at));
      if (takeMark(",")) continue;
      if (takeMark("]")) break;
      fail('"," or "]"');
    }
    return items;
  }

  function readText(): string {
    const offset = at;
    const found = take(string);
    if (found === undefined) throw new Json5Fault(offset, "This string has no end; close its quotes on the same line.");
    const content = unescapeJson5(found.slice(1, -1));
    if (content === undefined) throw new Json5Fault(offset, "This string has an invalid escape after a backslash.");
    return content;
  }

  function readName(): string {
    const offset = at;
    const found = take(name) ?? fail("a key");
    const content = unescapeJson5(found);
    if (content === undefined || !isName(content)) throw new Json5Fault(offset, "A key like this must be in quotes.");
    return content;
  }

  function readPlain(): unknown {
    const offset = at;
    const digits = take(number);
    const rest = take(word);
    if (digits !== undefined && rest === undefined) return toNumber(digits);
    if (digits === undefined && constants.has(rest)) return constants.get(rest);
    at = offset;
    return fail(rest !== undefined && isName(rest) ? "a value (strings must be in quotes)" : "a value");
  }

  const value = readValue([], 0);
  skipSpace();
  if (at < text.length) fail("the end of the file");
  return { value, places, repeated };
}

const constants = new Map<string | undefined, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

function isName(text: string): boolean {
  name.lastIndex = 0;
  return name.exec(text)?.[0] === text;
}

function toNumber(text: string): number {
  const sign = text.startsWith("-") ? -1 : 1;
  return sign * Number(text.replace(/^[+-]/, ""));
}

const escape = /\\(?:u([\dA-Fa-f]{4})|x([\dA-Fa-f]{2})|(\r\n|[^]))/g;
const short: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

/** The content of a JSON5 string without its quotes; undefined if an escape in it is invalid. */
function unescapeJson5(text: string): string | undefined {
  let isWrong = false;
  const content = text.replace(escape, (_, four?: string, two?: string, one?: string, offset?: number) => {
    const code = four ?? two;
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    if (one === "0" && !/\d/.test(text[(offset ?? 0) + 2] ?? "")) return "\0";
    if (one === undefined || /[\dux]/.test(one)) isWrong = true;
    if (/^(?:\r\n|[\n\r\u2028\u2029])$/.test(one ?? "")) return "";
    return short[one ?? ""] ?? one ?? "";
  });
  return isWrong ? undefined : content;
}
