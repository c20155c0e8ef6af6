import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { AuthorizationServerMetadata } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import type { AuthConfig } from "../../../../core/config/auth-config.ts";
import { authenticateClient } from "./client-authentication.ts";

const odd = { client_id: "a:b c", client_secret: "s+/%&=" };
const url = "https://auth.example/token";

async function authenticated(client: typeof odd, methods: string[] | undefined, settings: AuthConfig = {}) {
  const headers = new Headers();
  const params = new URLSearchParams();
  const metadata = { issuer: "https://auth.example", token_endpoint_auth_methods_supported: methods };
  await authenticateClient(client, settings)(headers, params, url, metadata as unknown as AuthorizationServerMetadata);
  return { headers, params };
}

test("Basic authentication form-encodes the id and the secret first", async () => {
  const { headers, params } = await authenticated(odd, ["client_secret_basic"]);
  const value = headers.get("authorization")?.replace("Basic ", "") ?? "";
  expect(Buffer.from(value, "base64").toString()).toBe("a%3Ab+c:s%2B%2F%25%26%3D");
  expect([...params]).toEqual([]);
});

test("where only the body is taken, the secret goes there and nowhere else", async () => {
  const { headers, params } = await authenticated(odd, ["client_secret_post"]);
  expect(headers.has("authorization")).toBe(false);
  expect(Object.fromEntries(params)).toEqual(odd);
});

test("a client without a secret says its name", async () => {
  const { headers, params } = await authenticated({ client_id: "open" } as typeof odd, ["none"]);
  expect(headers.has("authorization")).toBe(false);
  expect(Object.fromEntries(params)).toEqual({ client_id: "open" });
});

test.each([
  ["ES256", () => generateKeyPairSync("ec", { namedCurve: "P-256" })],
  ["ES384", () => generateKeyPairSync("ec", { namedCurve: "P-384" })],
  ["EdDSA", () => generateKeyPairSync("ed25519")],
  ["RS256", () => generateKeyPairSync("rsa", { modulusLength: 2048 })],
])("a key signs with %s without being told how", async (algorithm, makeKey) => {
  await using folder = await temporary();
  const privateKeyFile = path.join(folder.path, "key.pem");
  await writeFile(privateKeyFile, makeKey().privateKey.export({ type: "pkcs8", format: "pem" }));
  const { params } = await authenticated(odd, ["private_key_jwt"], { clientId: odd.client_id, privateKeyFile });
  const [head, body] = (params.get("client_assertion") ?? "").split(".").map((part) => Buffer.from(part, "base64url"));
  expect(JSON.parse(String(head))).toMatchObject({ alg: algorithm });
  expect(JSON.parse(String(body))).toMatchObject({ iss: "a:b c", sub: "a:b c", aud: "https://auth.example" });
  expect(params.has("client_secret")).toBe(false);
});

test("a file that holds no key is told of by its name, never by what it holds", async () => {
  await using folder = await temporary();
  const privateKeyFile = path.join(folder.path, "key.pem");
  await writeFile(privateKeyFile, "my diary");
  const settings = { clientId: odd.client_id, privateKeyFile };
  await expect(authenticated(odd, ["private_key_jwt"], settings)).rejects.toMatchObject({
    code: "config",
    message: expect.not.stringContaining("diary"),
  });
});

async function temporary() {
  const folder = await mkdtemp(path.join(tmpdir(), "clawport-keys-"));
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
