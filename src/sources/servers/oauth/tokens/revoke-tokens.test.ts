import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { silentLog } from "../../../../core/log.ts";
import { createSafeFetch } from "../net/safe-fetch.ts";
import { revokeTokens } from "./revoke-tokens.ts";

const tokens = { issuer: "x", accessToken: "a", refreshToken: "r", tokenType: "Bearer", receivedAt: 1 };

async function revokeAt(statuses: readonly number[], metadata?: object) {
  const seen: Record<string, string>[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      seen.push(Object.fromEntries(new URLSearchParams(body)));
      return response.writeHead(statuses[seen.length - 1] ?? 500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/revoke`);
  try {
    const revoked = await revokeTokens({
      metadata: metadata ?? { revocation_endpoint: url.href },
      tokens,
      fetch: createSafeFetch({ configured: url, env: {} }),
      log: silentLog,
      addClientAuthentication: (_, params) => params.set("client_id", "us"),
    });
    return { revoked, seen };
  } finally {
    server.close();
  }
}

test("both tokens are revoked, the refresh token first, as the client they were issued to", async () => {
  expect(await revokeAt([200, 200])).toEqual({
    revoked: true,
    seen: [
      { token: "r", token_type_hint: "refresh_token", client_id: "us" },
      { token: "a", token_type_hint: "access_token", client_id: "us" },
    ],
  });
});

test("one that is not taken back is told, and the other is tried all the same", async () => {
  const { revoked, seen } = await revokeAt([503, 200]);
  expect([revoked, seen.length]).toEqual([false, 2]);
});

test.each([
  {},
  { revocation_endpoint: "nowhere" },
  { revocation_endpoint: "http://127.0.0.1:1/" },
  { revocation_endpoint: "https://169.254.169.254/" },
])("with %j nothing is revoked and nothing thrown", async (metadata) => {
  expect(await revokeAt([], metadata)).toEqual({ revoked: false, seen: [] });
});
