import { expect, test } from "vitest";
import { type CallbackFacts, judgeCallback, parsePastedCallback } from "./callback-query.ts";

const rules = { host: "127.0.0.1:4711", path: "/callback", state: "right" };
const good: CallbackFacts = {
  method: "GET",
  target: "/callback?code=c&state=right&iss=x",
  headers: { host: "127.0.0.1:4711", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
};

test("the redirect that is waited for passes, with its whole query", () => {
  const verdict = judgeCallback(good, rules);
  expect(verdict.pass && [...verdict.query]).toEqual([
    ["code", "c"],
    ["state", "right"],
    ["iss", "x"],
  ]);
});

test("a browser that says nothing of how it came passes too", () => {
  expect(judgeCallback({ ...good, headers: { host: "127.0.0.1:4711" } }, rules).pass).toBe(true);
});

test.each<[string, Partial<CallbackFacts>, number]>([
  ["under another name", { headers: { host: "evil.test:4711" } }, 403],
  ["without a name", { headers: {} }, 403],
  ["by a script of a page", { headers: { ...good.headers, "sec-fetch-mode": "no-cors" } }, 403],
  ["as a picture of a page", { headers: { ...good.headers, "sec-fetch-dest": "image" } }, 403],
  ["in a frame", { headers: { ...good.headers, "sec-fetch-dest": "iframe" } }, 403],
  ["from another origin", { headers: { ...good.headers, origin: "https://evil.test" } }, 403],
  ["with another method", { method: "POST" }, 405],
  ["at another path", { target: "/?code=c&state=right" }, 404],
  ["with an absolute target elsewhere", { target: "http://evil.test/?state=right" }, 404],
  ["with another state", { target: "/callback?code=c&state=wrong" }, 400],
  ["without a state", { target: "/callback?code=c" }, 400],
  ["with two states", { target: "/callback?code=c&state=right&state=wrong" }, 400],
])("what comes %s is refused", (_, facts, status) => {
  expect(judgeCallback({ ...good, ...facts }, rules)).toMatchObject({ pass: false, status });
});

test("before a sign-in began nothing passes", () => {
  expect(
    judgeCallback({ ...good, target: "/callback?code=c&state=undefined" }, { ...rules, state: undefined }),
  ).toMatchObject({
    pass: false,
  });
});

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
  expect(Object.fromEntries(parsePastedCallback(text))).toEqual(query);
});

test.each(["", "two words", "http://127.0.0.1:4711/callback", "https://as.example.com/authorize?state=s"])(
  "%j holds no code",
  (text) => {
    expect(() => parsePastedCallback(text)).toThrow(expect.objectContaining({ code: "usage" }));
  },
);
