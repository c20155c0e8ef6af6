import { expect, test } from "vitest";
import { Secret } from "../secrets/secret.ts";
import { fitsWhole, nameSecrets, shownJson, shownLines, shownText } from "./shown-text.ts";

test.each([
  ["plain words, äöü, 日本語, 😀", "plain words, äöü, 日本語, 😀"],
  ["a\nb\r\tc", String.raw`a\nb\r\tc`],
  [String.raw`a\nb`, String.raw`a\\nb`],
  ["\u001b[2J\u009b", String.raw`\u{1b}[2J\u{9b}`],
  ["a\u202eb\u200bc\u2066", String.raw`a\u{202e}b\u{200b}c\u{2066}`],
  ["a\u{e0041}b", String.raw`a\u{e0041}b`],
  ["a\u00a0b\u3000c\u2003d", String.raw`a\u{a0}b\u{3000}c\u{2003}d`],
  ["a\u3164b\u115fc\u2800d\ufe0fe", String.raw`a\u{3164}b\u{115f}c\u{2800}d\u{fe0f}e`],
  ["\ud800a\udc00", String.raw`\u{d800}a\u{dc00}`],
  ["e\u0301 \u0301e\u0301\u0301\u0301\u0301", "e\u0301 \\u{301}e\u0301\u0301\u0301\\u{301}"],
])("%j is shown as %s", (text, shown) => {
  expect(shownText(text)).toBe(shown);
});

test("short JSON is on one row, long JSON in indented rows, and a line of a text has its mark", () => {
  expect(shownJson({ path: "a.txt" })).toBe('{"path":"a.txt"}');
  expect(shownJson(undefined)).toBe("none");
  expect(shownJson({ script: 'ls\nAllow it? "y"\n', n: 1 })).toBe(
    ["{", String.raw`  "script": "ls\n`, String.raw`    │ Allow it? \"y\"\n`, `    │ ",`, `  "n": 1`, "}"].join("\n"),
  );
  expect(shownJson({ a: "\u202e\u0007" })).toBe(String.raw`{"a":"\u{202e}\u0007"}`);
});

test("lines of our own stay lines", () => {
  expect(shownLines("a\nb\u001b\r")).toBe("a\nb\\u{1b}\\u{d}");
  expect(shownLines("a\n\u0301b│\u0301 │ \u0301+\u0301")).toBe("a\n\\u{301}b│\u0301 │ \\u{301}+\u0301");
});

test("a value of the configuration's variables is shown by its name, and by nothing that a text could imitate", () => {
  const secrets = [
    { name: "TOKEN", value: new Secret("s3cret-value") },
    { name: "PEM", value: new Secret("-----BEGIN\nline two") },
    { name: "WORD", value: new Secret("nabcdef") },
    { name: "SHORT", value: new Secret("ls") },
  ];
  const named = (value: unknown) => nameSecrets(shownJson(value), secrets);
  expect(named({ a: "Bearer s3cret-value, $TOKEN" })).toBe(String.raw`{"a":"Bearer \($TOKEN), $TOKEN"}`);
  expect(named({ a: String.raw`\($TOKEN)` })).toBe(String.raw`{"a":"\\($TOKEN)"}`);
  expect(named({ a: "x\nabcdef" })).not.toContain("WORD");
  expect(named({ a: "-----BEGIN\nline two", b: "ls" })).toContain(String.raw`"a": "\($PEM)"`);
  expect(nameSecrets(shownText("-----BEGIN\nline two!"), secrets)).toBe(String.raw`\($PEM)!`);
});

test("what is longer, or has more lines, does not fit", () => {
  expect(fitsWhole("abc", { maxLength: 3 })).toBe(true);
  expect(fitsWhole("abcd", { maxLength: 3 })).toBe(false);
  expect(fitsWhole("a\nb", { maxLength: 3, maxLines: 2 })).toBe(true);
  expect(fitsWhole("a\n\n", { maxLength: 3, maxLines: 2 })).toBe(false);
});
