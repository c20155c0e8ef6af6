import { expect, test } from "vitest";
import { jsonText, quotedPeerTail, quotedPeerText, sanitizeForTerminal } from "./peer-text.ts";

const key = "sk-abcdefghijklmnop1234";

test("text from a peer is in quotes, on one line, without the keys in it", () => {
  expect(quotedPeerText(`no such key:\n${key}`)).toBe(String.raw`"no such key:\n[redacted]"`);
  expect(quotedPeerTail(`no such key:\n${key}`, 300)).toBe('"no such key: / [redacted]"');
});

test("a key at the place of the cut leaves no part behind", () => {
  for (let most = 1; most < 60; most++) {
    expect(quotedPeerText(`the key ${key} is wrong`, most)).not.toContain("sk-");
    expect(quotedPeerTail(`the key ${key} is wrong`, most)).not.toMatch(/\d/);
  }
});

test("of a long text the first or the last words are kept", () => {
  const long = `first ${"word ".repeat(10_000)}last`;
  expect(quotedPeerText(long, 7)).toBe('"first w"');
  expect(quotedPeerTail(long, 6)).toBe('"…last"');
  expect(quotedPeerTail("unbroken", 3)).toBe('"…ken"');
});

test("of many lines the last ones that fit are kept whole, and empty ones are left out", () => {
  const said = "npm error code E404\nnpm error 404\r\n\n  'it' is not here\n";
  expect(quotedPeerTail(said, 100)).toBe(`"npm error code E404 / npm error 404 / 'it' is not here"`);
  expect(quotedPeerTail(said, 40)).toBe(`"npm error 404 / 'it' is not here"`);
});

test("a line whose beginning was not looked at is left out", () => {
  const cut = `${"x".repeat(9000)} ${key}`;
  expect(quotedPeerTail(`${cut}\n${" ".repeat(8170)}\nend`, 300)).toBe('"end"');
});

test("JSON for a terminal has no character that it obeys or hides, and means the same", () => {
  const value = { "a\u202e": ["\u009b2J", "\u007f", "\u2028", "\u{e0041}", "plain ü 漢 😀"] };
  const text = jsonText(value);
  expect(text).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u);
  expect(text).toContain(String.raw`\u009b2J`);
  expect(text).toContain("plain ü 漢 😀");
  expect(JSON.parse(text)).toEqual(value);
});

test("text on a terminal is shown in the order in which it was written", () => {
  expect(sanitizeForTerminal("ab\u202ecd\u2066\u009b2J", { isTTY: true })).toBe(String.raw`ab\u{202e}cd\u{2066}`);
  expect(sanitizeForTerminal("ab\u202e", {})).toBe("ab\u202e");
});
