import { expect, test } from "vitest";
import { parseCallback } from "./parse-callback.ts";

test.each([
  ["http://127.0.0.1:4711/callback?code=c&state=s&iss=i", { code: "c", state: "s", iss: "i" }],
  [" https://elsewhere.example/cb?code=c&state=s \n", { code: "c", state: "s" }],
  ["http://127.0.0.1:1/callback?error=access_denied&state=s", { error: "access_denied", state: "s" }],
  ["?code=c&state=s", { code: "c", state: "s" }],
  ["code=c&state=s", { code: "c", state: "s" }],
  ["127.0.0.1:4711/callback?code=c&state=s", { code: "c", state: "s" }],
  ["abc-DEF_123", { code: "abc-DEF_123" }],
  ["4/0Ab==", { code: "4/0Ab==" }],
])("%j is read as %j", (text, query) => {
  expect(Object.fromEntries(parseCallback(text))).toEqual(query);
});

test.each(["", "two words", "http://127.0.0.1:4711/callback", "https://as.example.com/authorize?state=s"])(
  "%j holds no code",
  (text) => {
    expect(() => parseCallback(text)).toThrow(expect.objectContaining({ code: "usage" }));
  },
);
