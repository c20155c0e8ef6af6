import { createHash } from "node:crypto";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { openAuth } from "../fixtures/open-auth.ts";
import { startRogueIssuer } from "../fixtures/rogue-issuer.ts";

const client = { clientId: "machine", clientSecret: "hush-hush" };
const refused = { status: 401, headers: { "www-authenticate": 'Bearer scope="read"' } };

function lacking(scope: string) {
  return { status: 403, headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` } };
}

test("a client that signs in as itself needs nobody: the first refusal brings the token", async () => {
  await using rogue = await startRogueIssuer();
  const { auth, file } = openAuth(rogue.url, { settings: { ...client, grant: "client-credentials" } });
  const request = auth.request("POST", rogue.url);
  expect(await request.headers()).toEqual({});
  expect(await request.refused(refused)).toBe(true);
  expect(await request.headers()).toEqual({ authorization: `Bearer ${file.kept()?.tokens?.accessToken}` });
  const sent = rogue.seen.find(({ path: place }) => place === "/token");
  expect(Object.fromEntries(sent?.params ?? [])).toMatchObject({
    grant_type: "client_credentials",
    scope: "read",
    resource: rogue.url.href,
  });
  expect(JSON.stringify(file.kept())).not.toContain("hush-hush");
});

test("requests side by side bring one token", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url, { settings: { ...client, grant: "client-credentials" } });
  const requests = Array.from({ length: 20 }, () => auth.request("POST", rogue.url));
  await Promise.all(requests.map((request) => request.headers()));
  await Promise.all(requests.map((request) => request.refused(refused)));
  const sent = await Promise.all(requests.map((request) => request.headers()));
  expect(new Set(sent.map(({ authorization }) => authorization)).size).toBe(1);
  expect(rogue.count("/token")).toBe(1);
});

test("a secret of the configuration goes to the authorization server it went to before, and to no other", async () => {
  await using rogue = await startRogueIssuer();
  await using other = await startRogueIssuer();
  const { auth } = openAuth(rogue.url, { settings: { ...client, grant: "client-credentials" } });
  const request = auth.request("POST", rogue.url);
  await request.headers();
  await request.refused(refused);
  rogue.settings.resource = (document) => ({ ...document, authorization_servers: [other.origin] });
  await request.headers();
  await expect(request.refused(refused)).rejects.toMatchObject({ message: expect.stringContaining(other.origin) });
  expect(other.seen).toEqual([]);
});

test("a call that lacks a right gets it without anybody, besides those that are held", async () => {
  await using rogue = await startRogueIssuer();
  const { auth, file } = openAuth(rogue.url, { settings: { ...client, grant: "client-credentials" } });
  const request = auth.request("POST", rogue.url);
  await request.headers();
  await request.refused(refused);
  await request.headers();
  expect(await request.refused(lacking("write"))).toBe(true);
  expect(file.kept()?.tokens?.scope).toBe("read write");
});

test("a call that lacks a right whatever it asks for asks twice at most", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url, { settings: { ...client, grant: "client-credentials" } });
  const request = auth.request("POST", rogue.url);
  await request.headers();
  await request.refused(refused);
  for (const scope of ["write", "more"]) {
    await request.headers();
    expect(await request.refused(lacking(scope))).toBe(true);
  }
  await request.headers();
  await expect(request.refused(lacking("most"))).rejects.toMatchObject({
    code: "denied",
    message: expect.stringContaining("read write more most"),
  });
  expect(rogue.count("/token")).toBe(3);
});

/** A file with a secret in it, as a platform or a person puts it there. */
async function openSecretFile(secret: string) {
  const folder = await mkdtempDisposable(path.join(tmpdir(), "clawport-secret-"));
  const file = path.join(folder.path, "token");
  await writeFile(file, `${secret}\n`);
  return { file, [Symbol.asyncDispose]: () => folder.remove() };
}

const secret = createHash("sha256").update("workload").digest("hex");

test("a workload's token that is refused is told of, and is in no message", async () => {
  await using rogue = await startRogueIssuer();
  await using assertion = await openSecretFile(secret);
  const settings = { clientId: "machine", grant: "workload", assertionFile: assertion.file } as const;
  const { auth, file } = openAuth(rogue.url, { settings });
  const request = auth.request("POST", rogue.url);
  await request.headers();
  const failure = await request.refused(refused).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: "unauthorized",
    message: expect.stringContaining("Check `auth` of the server notes"),
  });
  expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(secret);
  expect(rogue.seen.at(-1)?.params.get("assertion")).toBe(secret);
  expect(rogue.count("/token")).toBe(1);
  expect(file.kept()).toBeUndefined();
});

test.each([
  ["refuses the ID token is told of with the file it came from", {}, "unauthorized", "auth.idp.idTokenFile"],
  [
    "can't be reached leaves the ID token in peace",
    { token_endpoint: "http://127.0.0.1:1/token" },
    "unavailable",
    "ECONNREFUSED",
  ],
])("an identity provider that %s", async (_, metadata, code, message) => {
  await using rogue = await startRogueIssuer();
  await using provider = await startRogueIssuer({ metadata: (document) => ({ ...document, ...metadata }) });
  await using idToken = await openSecretFile(secret);
  const idp = { issuer: provider.origin, clientId: "clawport", idTokenFile: idToken.file };
  const { auth, file } = openAuth(rogue.url, { settings: { clientId: "machine", grant: "enterprise", idp } });
  const request = auth.request("POST", rogue.url);
  await request.headers();
  const failure = await request.refused(refused).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code, message: expect.stringContaining(message) });
  expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(secret);
  expect(file.kept()).toBeUndefined();
});
