import { expect, test } from "vitest";
import { addressSecrets, secretParts } from "./secret-parts.ts";

test.each([
  ["Bearer abc-def", ["abc-def"]],
  ["-----BEGIN KEY-----\nMIIEabc\n-----END KEY-----", ["MIIEabc"]],
  ["postgres://postgres:s%40fe-pa55@db/x", ["s%40fe-pa55", "s@fe-pa55"]],
  ['{"Authorization":"Bearer ntn_1","list":["inner-value"]}', ["ntn_1", "inner-value"]],
])("%j has parts that are secret alone", (secret, parts) => {
  expect(secretParts(secret)).toEqual(expect.arrayContaining([secret, ...parts]));
});

test.each([
  ["https://my-token-1@host.example/", ["my-token-1"]],
  ["--url=https://h.example/sse?api_key=letmein&x=a%2Fb1", ["letmein", "a%2Fb1", "a/b1"]],
  ["see postgres://app_1:pa55word@db/x and redis://:hunter22@r", ["app_1", "pa55word", "hunter22"]],
  ["https://mcp.example/s/k3y9Ab27Cd81Ef45Gh60/sse", ["k3y9Ab27Cd81Ef45Gh60"]],
])("%j holds the secrets of its addresses", (text, secrets) => {
  expect(addressSecrets(text)).toEqual(expect.arrayContaining(secrets));
});

test("ordinary words in an address are not secret", () => {
  const found = addressSecrets("postgres://postgres:pa55word@db/x?sslmode=require");
  expect(found).not.toContain("postgres");
  expect(found).not.toContain("require");
  expect(addressSecrets("https://h.example/api/v2beta1/model-context-protocol/mcp").filter(Boolean)).toEqual([]);
});
