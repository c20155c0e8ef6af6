import { createHash, createPublicKey, type JsonWebKey, verify } from "node:crypto";
import { expect, test } from "vitest";
import { openDpopKey } from "./dpop.ts";

const request = { htm: "post", htu: "https://a.example/mcp?x=1", accessToken: "token" };

function read(proof: string) {
  const [head = "", body = "", signature = ""] = proof.split(".");
  const header = JSON.parse(Buffer.from(head, "base64url").toString()) as { alg: string; jwk: JsonWebKey };
  return {
    header,
    claims: JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>,
    isSigned: verify(
      "sha256",
      Buffer.from(`${head}.${body}`),
      { key: createPublicKey({ key: header.jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    ),
  };
}

test("a key that was kept signs as the same one again, in another process too", async () => {
  const first = await openDpopKey(undefined);
  const second = await openDpopKey(JSON.parse(JSON.stringify(first.jwk)));
  expect(second.session.thumbprint).toBe(first.session.thumbprint);
  const [one, two] = [read(await first.session.buildProof(request)), read(await second.session.buildProof(request))];
  expect(one.header.jwk).toEqual(two.header.jwk);
  expect([one.isSigned, two.isSigned]).toEqual([true, true]);
  expect(one.claims["jti"]).not.toBe(two.claims["jti"]);
});

test("a proof is for one token, one method and one address, and shows no private part of the key", async () => {
  const { session } = await openDpopKey(undefined);
  const { header, claims } = read(await session.buildProof(request));
  expect(claims).toMatchObject({
    htm: "POST",
    htu: "https://a.example/mcp",
    ath: createHash("sha256").update("token").digest("base64url"),
  });
  expect(Object.keys(header.jwk).sort()).toEqual(["crv", "kty", "x", "y"]);
});

test.each([undefined, null, "key", {}, { kty: "EC", crv: "P-256", x: "a" }])(
  "%j is no key, so that a new one is made",
  async (kept) => {
    const { jwk } = await openDpopKey(kept);
    expect(jwk).toMatchObject({ kty: "EC", crv: "P-256" });
  },
);
