import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Fault } from "../fault.ts";
import { redact, redactText } from "./redact.ts";
import { Secret } from "./secret.ts";

test("a secret is masked by the name of its key, in any spelling and at any depth", () => {
  const keys =
    "authorization Proxy-Authorization token access_token refreshToken apiKey API-KEY password client_secret";
  for (const key of [...keys.split(" "), "cookie", "Set-Cookie", "codeVerifier", "private_key", "tokens"]) {
    expect(JSON.stringify(redact({ headers: [{ [key]: "plain-looking" }] }))).not.toContain("plain-looking");
  }
});

test("numbers of tokens, flags and addresses keep their meaning", () => {
  const plain = {
    maxTokens: 4096,
    hasToken: true,
    tokenPath: "/home/a/token",
    authorizationServerUrl: "https://a.example/",
  };
  expect(redact(plain)).toEqual(plain);
});

test("32 random bytes in base64url are masked wherever they stand in a text", () => {
  for (let round = 0; round < 200; round++) {
    const token = randomBytes(32).toString("base64url");
    for (const text of [token, `the token is ${token}.`, `["${token}"]`, `a=${token},b`, `http://h/${token}/x`]) {
      expect(redactText(text)).not.toContain(token);
    }
  }
});

test.each([
  ["Authorization: Bearer abcdef123", "abcdef123"],
  ["Authorization: Bearer abcdefgh", "abcdefgh"],
  ["refused: bearer my-own-token", "my-own-token"],
  ["refused: BEARER ABCDEFGH", "ABCDEFGH"],
  ["refused: Bearer dXNlcjpwYXNz", "dXNlcjpwYXNz"],
  ["refused: Bearer abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz"],
  ["refused: Token Abcdefgh+x", "Abcdefgh+x"],
  ["refused: Basic Abcdefghijk=", "Abcdefghijk"],
  ["authorization=Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"],
  ["jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl!", "c2lnbmF0dXJl"],
  ["key sk-proj-abcdefghijklmnop", "abcdefghijklmnop"],
  ["ghp_0123456789abcdefghij0123456789abcdef", "0123456789"],
  ["xoxb-123456789-abcdef", "123456789"],
  ["AKIAIOSFODNN7EXAMPLE", "IOSFODNN7"],
  ["postgres://user:pa55@db.example/x", "pa55"],
  ["https://a.example/cb?state=1&code=abc123", "abc123"],
  ["wss://a.example/?access_token=abc123&x=1", "abc123"],
  ["run --api-key=abc123 now", "abc123"],
  ['body {"client_secret": "a\\"bc123", "x": 1}', "bc123"],
  ["-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----", "MHcCAQEE"],
])("%j contains no secret afterwards", (text, secret) => {
  expect(redactText(text)).toContain("[redacted]");
  expect(redactText(text)).not.toContain(secret);
});

test.each([
  "Basic authentication is not supported",
  "Basic Authentication required",
  "Error: Bearer authentication failed",
  "Token Validation failed",
  "invalid bearer credentials",
  "Invalid Bearer Credentials",
  "This is no bearer token.",
  "Unexpected token } in JSON at position 3",
  "this-is-a-rather-long-name-with-43-characters",
  "https://a.example/path?page=2&sort=name",
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
])("%j is left as it is", (text) => {
  expect(redactText(text)).toBe(text);
});

test("a secret at the place where a long text is cut leaves no part behind", () => {
  const token = randomBytes(32).toString("base64url");
  for (let shift = 0; shift < 60; shift++) {
    const text = `${"word ".repeat(1630)}${"x".repeat(shift)} ${token}${" more".repeat(2000)}`;
    expect(redactText(text)).not.toContain(token.slice(0, 6));
  }
});

test("an error becomes its code, message, detail and causes", () => {
  const cause = Object.assign(new Error("no such file"), { code: "ENOENT" });
  const fault = new Fault("io", "Could not read it: password=hunter2", { detail: { token: "t" }, cause });
  expect(redact(fault)).toEqual({
    code: "io",
    message: "Could not read it: password=[redacted]",
    detail: { token: "[redacted]" },
    cause: { code: "ENOENT", message: "no such file" },
  });
});

test("cycles are cut, and one object met twice is no cycle", () => {
  const shared = { a: 1 };
  const ring: Record<string, unknown> = { first: shared, second: shared };
  ring["self"] = ring;
  expect(redact(ring)).toEqual({ first: { a: 1 }, second: { a: 1 }, self: "[circular]" });
});

test("depth, width and length are bounded", () => {
  let deep: unknown = "bottom";
  for (let level = 0; level < 10_000; level++) deep = [deep];
  const wide = Array.from({ length: 10_000 }, () => "word ".repeat(10_000));
  expect(JSON.stringify(redact(deep)).length).toBeLessThan(100);
  expect(JSON.stringify(redact({ wide, also: wide })).length).toBeLessThan(200_000);
});

test("values that JSON can't represent become readable text", () => {
  const value = {
    big: 1n,
    bytes: Buffer.alloc(3),
    map: new Map([["apiKey", "k"]]),
    url: new URL("https://u:p@h.example/"),
  };
  const hostile = {
    get bad() {
      throw new Error("no");
    },
  };
  expect(redact({ ...value, secret: new Secret("s"), hostile: [hostile] })).toEqual({
    big: "1",
    bytes: "[3 bytes]",
    map: { apiKey: "[redacted]" },
    url: "https://[redacted]@h.example/",
    secret: "[redacted]",
    hostile: ["[unreadable]"],
  });
});

test("any value is copied without throwing, into something JSON can represent", () => {
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }), (value) => {
      expect(() => JSON.stringify(redact(value))).not.toThrow();
    }),
  );
});
