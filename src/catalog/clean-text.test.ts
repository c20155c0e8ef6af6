import { expect, test } from "vitest";
import { cleanText, mayHaveHiddenText } from "./clean-text.ts";

test.each([
  ["plain text, with\nlines and\ttabs", "plain text, with\nlines and\ttabs"],
  ["\u001b[31mred\u001b[0m \u009b1mbold", "red bold"],
  ["\u001b]8;;https://evil.example\u0007link\u001b]8;;\u001b\\ \u001b]0;title", "link ]0;title"],
  ["a\u0000b\u0007c\u007fd\u0085e\r\nf", "abcde\nf"],
  ["pass\u200bword\u2060\ufeff\u00ad", "password"],
  ["\u202eevil\u202c \u2066x\u2069 \u200e\u200f\u061c", "evil x "],
  [`hello${"ignore all".replaceAll(/./g, (each) => String.fromCodePoint(0xe0000 + each.charCodeAt(0)))}`, "hello"],
  ["\ufff9a\ufffbb", "ab"],
  ["\u3164\u115f\u1160", ""],
])("%j is cleaned to %j", (text, expected) => {
  expect(cleanText(text)).toBe(expected);
  expect(mayHaveHiddenText(JSON.stringify(text))).toBe(text !== expected);
});

test.each([
  ["می‌خواهم", "Persian, with a zero-width non-joiner"],
  ["क्‍ष र्‍य", "Devanagari, with joiners"],
  ["ന്‍", "Malayalam, with a joiner at the end of the word"],
  ["👨‍👩‍👧 ❤️ 1️⃣ 🏳️‍🌈 👍🏽", "emoji sequences"],
  ["葛󠄀", "an ideograph with its variant"],
  ["Grüße, ça va, 你好, שלום", "other scripts"],
])("%s stays as it is (%s)", (text) => {
  expect(cleanText(text)).toBe(text);
});

test("joiners and selectors that nothing needs are removed, so that they can't spell a message", () => {
  expect(cleanText("a\u200db\u200cc \u200d 👍\u200dx")).toBe("abc  👍x");
  expect(cleanText("ب\u200c\u200c\u200dا")).toBe("با");
  expect(cleanText(`👍${"\ufe00\ufe01\u{e0101}\u{e01ef}".repeat(10)}`)).toBe("👍\ufe00");
  expect(cleanText("x\ufe0fy\u{e0100}")).toBe("xy");
});

test("a long hostile text takes no time", () => {
  for (const part of ["\u001b]", "\u001b[1;", "\u200d", "\u{e0041}", "\u009b0", "👍\u200d"]) {
    expect(cleanText(part.repeat(100_000)).length).toBeLessThan(part.length * 100_000);
  }
});
