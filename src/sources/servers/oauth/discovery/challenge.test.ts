import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { parseChallenges, readOAuthChallenge } from "./challenge.ts";

test.each([
  ["Bearer", [{ scheme: "bearer", params: {} }]],
  ['Bearer realm="a, b", scope="read write"', [{ scheme: "bearer", params: { realm: "a, b", scope: "read write" } }]],
  ["Bearer error=invalid_token", [{ scheme: "bearer", params: { error: "invalid_token" } }]],
  [
    'Basic realm="x", Bearer scope="read"',
    [
      { scheme: "basic", params: { realm: "x" } },
      { scheme: "bearer", params: { scope: "read" } },
    ],
  ],
  [
    'Negotiate, Bearer resource_metadata="https://a.example/x"',
    [
      { scheme: "negotiate", params: {} },
      { scheme: "bearer", params: { resource_metadata: "https://a.example/x" } },
    ],
  ],
  [String.raw`Bearer realm="say \"hi\", Basic x"`, [{ scheme: "bearer", params: { realm: 'say "hi", Basic x' } }]],
  ['bearer SCOPE = "a"', [{ scheme: "bearer", params: { scope: "a" } }]],
  ['scope="read"', []],
])("%s is read for what it says", (header, challenges) => {
  expect(parseChallenges(header)).toEqual(challenges);
});

test("several headers are read as one list", () => {
  expect(parseChallenges(['Basic realm="x"', 'Bearer scope="read"']).map(({ scheme }) => scheme)).toEqual([
    "basic",
    "bearer",
  ]);
});

test("the challenge for OAuth is found behind others, and Bearer is taken where DPoP is offered too", () => {
  const header = 'Basic realm="x", DPoP algs="ES256", Bearer resource_metadata="https://a.example/m", scope="read"';
  expect(readOAuthChallenge(header)).toEqual({
    scheme: "bearer",
    resourceMetadata: "https://a.example/m",
    scope: "read",
    error: undefined,
  });
});

test("a server that wants a nonce is heard before anything else", () => {
  expect(readOAuthChallenge('Bearer scope="read", DPoP error="use_dpop_nonce"')).toMatchObject({
    scheme: "dpop",
    error: "use_dpop_nonce",
  });
});

test.each([undefined, "", "Basic realm=x", "Negotiate"])("%s asks for no OAuth", (header) => {
  expect(readOAuthChallenge(header)).toBeUndefined();
});

test("no header is too odd to be read", () => {
  assert(property(string({ maxLength: 100 }), (header) => void parseChallenges(header)));
  expect(parseChallenges(`Bearer ${'a="\\'.repeat(10_000)}`)).toMatchObject([{ scheme: "bearer" }, {}]);
});
