import * as fc from "fast-check";
import { expect } from "vitest";

/** Calls of all kinds, and what a person must see of each, whatever it is shown on. */

const nasty = fc.constantFrom(
  "\n",
  "\r",
  "\t",
  "\\",
  '"',
  "'",
  "\u001b[2J",
  "\u202e",
  "\u200b",
  "\u{e0041}",
  "\ud800",
  "\udc00",
  "\u00a0",
  "│ ",
  "\u3164",
  "\u2028",
  "e\u0301\u0301\u0301\u0301",
  "\u0301",
  "日本",
  "😀\ufe0f",
  "$TOKEN",
  String.raw`\u{202e}`,
  "[+",
  "\nArguments: {}",
  "\nAllow it? (y = once) ",
  "password=x",
  `sk-${"a".repeat(20)}`,
  "TOKEN=$(id) ls",
  "… (9 characters)",
);
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.array(fc.oneof(nasty, fc.string({ maxLength: 5 })), { maxLength: 30 }).map((parts) => parts.join("")),
);
const key = fc.oneof(text, fc.constantFrom("secret", "cookie", "password", "__proto__", "authorization"));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 6 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
export const randomCalls = fc
  .array(fc.tuple(key, value), { maxLength: 8 })
  .map((entries) => Object.fromEntries(entries) as object);

const deep = (levels: number): unknown => JSON.parse(`${'{"a":['.repeat(levels)}"\\u202e"${"]}".repeat(levels)}`);
export const largeCalls: readonly (readonly [string, object])[] = [
  ["1 byte", { a: "x" }],
  ["5,000 keys", Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`key ${at}\n`, `\u202e${at}`]))],
  ["300 levels", { a: deep(300) }],
  ["one line of 1 MB", { command: `${"a b ".repeat(262_000)}\u001b; rm x` }],
  ["1 MB of all kinds", { text: fc.sample(text, { numRuns: 200, seed: 7 }).join("\n").repeat(60).slice(0, 1_000_000) }],
  ["lines of 1 MB", { script: `echo 1\n`.repeat(150_000) }],
];

/** What would be sent on: JSON has no lone zero sign and no infinity. */
const sent = (args: object): unknown => JSON.parse(JSON.stringify(args));

/** The text has nothing in it that does not print, and reading it back gives the arguments. */
export function expectWhole(shown: string, args: object): void {
  expect(/[^\P{C}\n]|(?! )\p{Zs}/u.exec(shown)).toBeNull();
  const [, head = "", rows = ""] = /^Arguments:( ?)([^]*)$/m.exec(shown) ?? [];
  const lines = (head === " " ? rows : rows.replaceAll(/^ {2}/gm, "")).replaceAll(/\n *│ /g, "");
  const json = lines.replaceAll(/\\(?:u\{([0-9a-f]+)\}|[^])/g, (whole, code?: string) =>
    code === undefined ? whole : JSON.stringify(String.fromCodePoint(Number.parseInt(code, 16))).slice(1, -1),
  );
  const read: unknown = JSON.parse(json);
  if (JSON.stringify(read) !== JSON.stringify(sent(args))) expect(read).toEqual(sent(args));
}
