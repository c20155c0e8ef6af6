import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createKnownRedactor, redactKnown } from "./redact-known.ts";

const secret = "pa55 w/rd?ü";
const base64 = (text: string) => Buffer.from(text).toString("base64");

test.each([
  ["plain", `key ${secret}!`, "key [redacted]!"],
  ["in JSON", `{"k":${JSON.stringify(`a"b\\c-secret`)}}`, '{"k":"[redacted]"}'],
  ["URL-encoded", `?q=${encodeURIComponent(secret)}&x=1`, "?q=[redacted]&x=1"],
  ["URL-encoded in lower case", `?q=${encodeURIComponent(secret).toLowerCase()}&x=1`, "?q=[redacted]&x=1"],
  ["as a form has it", new URLSearchParams({ q: secret }).toString(), "q=[redacted]"],
  ["in base64", `b ${base64(secret)} e`, "b [redacted] e"],
  ["in base64url", `b ${Buffer.from("??>>~~~secret").toString("base64url")} e`, "b [redacted] e"],
  ["over two lines", `key pa55 w\n/rd?ü!`, "key [redacted]!"],
  ["over two lines of a Windows program", `key pa55 w\r\n/rd?ü!`, "key [redacted]!"],
])("a known secret is masked %s", (_way, text, shown) => {
  expect(redactKnown(text, [secret, `a"b\\c-secret`, "??>>~~~secret"])).toBe(shown);
});

test.each([0, 1, 2, 3, 4])(
  "inside the base64 of something larger, after %d bytes, nothing of it can be decoded",
  (count) => {
    const shown = redactKnown(base64(`${"u".repeat(count)}hunter2hunter2:more`), ["hunter2hunter2"]);
    expect(shown).toContain("[redacted]");
    for (const part of shown.split("[redacted]")) {
      for (const shift of [0, 1, 2, 3])
        expect(Buffer.from(`${"A".repeat(shift)}${part}`, "base64").toString()).not.toContain("unter");
    }
  },
);

test("short values are left alone: they may be ordinary words", () => {
  expect(redactKnown("stay on port 8080", ["on", "8080", ""])).toBe("stay on port 8080");
});

test("secrets that overlap or contain each other leave nothing of either", () => {
  expect(redactKnown("x abcdefghij y", ["abcdefg", "efghij", "cdefgh"])).toBe("x [redacted] y");
});

test("half a secret at the end of a cut text is masked, at the start too", () => {
  const redact = createKnownRedactor(["abcdefgh"]);
  expect(redact("defgh and abcde", { start: true, end: true })).toBe("[redacted] and [redacted]");
  expect(redact("defgh and abcde")).toBe("defgh and abcde");
  expect(redact("gh ab", { start: true, end: true })).toBe("gh ab");
});

test("whatever the secret and the text around it, it is not in the result", () => {
  const value = fc.string({ unit: "grapheme", minLength: 8, maxLength: 40 }).filter((text) => text.trim().length >= 8);
  fc.assert(
    fc.property(value, fc.string(), fc.string(), (known, before, after) => {
      for (const form of [known, base64(known), encodeURIComponent(known.toWellFormed())])
        expect(redactKnown(`${before} ${form} ${after}`, [known])).not.toContain(form);
    }),
  );
});
