import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { openAuth } from "../fixtures/open-auth.ts";
import { startRogueIssuer } from "../fixtures/rogue-issuer.ts";

const client = { clientId: "machine", clientSecret: "hush-hush" };
const refused = { status: 401, headers: { "www-authenticate": 'Bearer scope="read"' } };

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
  const lacking = { status: 403, headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="write"' } };
  expect(await request.refused(lacking)).toBe(true);
  expect(file.kept()?.tokens?.scope).toBe("read write");
});

test("a workload's token that is refused is told of, and is in no message", async () => {
  await using rogue = await startRogueIssuer();
  const folder = await mkdtemp(path.join(tmpdir(), "clawport-workload-"));
  try {
    const assertionFile = path.join(folder, "token");
    const assertion = createHash("sha256").update("workload").digest("hex");
    await writeFile(assertionFile, `${assertion}\n`);
    const { auth, file } = openAuth(rogue.url, { settings: { clientId: "machine", grant: "workload", assertionFile } });
    const request = auth.request("POST", rogue.url);
    await request.headers();
    const failure = await request.refused(refused).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "unauthorized",
      message: expect.stringContaining("auth of the server notes"),
    });
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(assertion);
    expect(rogue.seen.at(-1)?.params.get("assertion")).toBe(assertion);
    expect(rogue.count("/token")).toBe(1);
    expect(file.kept()).toBeUndefined();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
