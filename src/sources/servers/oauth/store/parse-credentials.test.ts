import { expect, test } from "vitest";
import { parseCredentials } from "./parse-credentials.ts";

const place = { server: { issuer: "https://as.example" } };
const client = { client_id: "clawport" };
const tokens = { issuer: "https://as.example", accessToken: "a", tokenType: "Bearer", receivedAt: 1 };
const waiting = { verifier: "v", redirectUri: "http://127.0.0.1/callback", startedAt: 1 };
const record = {
  server: "one",
  resource: "https://mcp.example",
  issuer: "https://as.example",
  discovery: place,
  clients: { "https://as.example": client },
  tokens,
  pending: { state: { ...waiting, flow: { place, client, dpop: false } } },
};

test("a valid record is accepted unchanged", () => {
  expect(parseCredentials(record)).toBe(record);
  const { discovery: _, tokens: __, pending: ___, ...least } = record;
  expect(parseCredentials(least)).toBe(least);
});

test.each([
  ["the record", []],
  ["clients", { ...record, clients: undefined }],
  ["clients.client_id", { ...record, clients: { "https://as.example": {} } }],
  ["discovery.server", { ...record, discovery: {} }],
  ["discovery.server.issuer", { ...record, discovery: { server: {} } }],
  ["tokens.receivedAt", { ...record, tokens: { ...tokens, receivedAt: "now" } }],
  ["pending.flow", { ...record, pending: { state: waiting } }],
  ["pending.flow.client.client_id", { ...record, pending: { state: { ...waiting, flow: { place, client: {} } } } }],
])("a record whose %s is wrong is refused", (name, value) => {
  expect(() => parseCredentials(value)).toThrow(new RegExp(`^${name} is not an? `));
});
