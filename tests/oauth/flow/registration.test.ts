import { expect, test } from "vitest";
import type { RedirectSignIn } from "../../../src/sources/servers/oauth/grants/authorization-code.ts";
import type { ServerAuth } from "../../../src/sources/servers/oauth/server-auth.ts";
import { begin, openAuth, redirectUri, signIn, visit } from "../fixtures/open-auth.ts";
import { startRogueIssuer } from "../fixtures/rogue-issuer.ts";

const clientMetadataUrl = "https://clawport.example/client.json";
const withDocuments = (document: Record<string, unknown>) => ({
  ...document,
  client_id_metadata_document_supported: true,
});

test("a client that was registered by hand goes before everything else", async () => {
  await using rogue = await startRogueIssuer({ metadata: withDocuments });
  const { auth } = openAuth(rogue.url, { settings: { clientId: "by-hand", clientMetadataUrl } });
  expect((await begin(auth)).url.searchParams.get("client_id")).toBe("by-hand");
  expect(rogue.count("/register")).toBe(0);
});

test("the secret of a client that was registered by hand is kept nowhere but in the configuration", async () => {
  await using rogue = await startRogueIssuer();
  const settings = { clientId: "by-hand", clientSecret: "hush-hush" };
  const { auth, file } = openAuth(rogue.url, { settings });
  const { url } = await begin(auth);
  expect(JSON.stringify(file.kept())).not.toContain("hush-hush");
  await auth.finish(await visit(url));
  expect(JSON.stringify(file.kept())).not.toContain("hush-hush");
  const other = openAuth(rogue.url, { settings, file, now: () => Date.now() + 3_600_000 });
  await other.auth.request("POST", rogue.url).headers();
  const basic = `Basic ${Buffer.from("by-hand:hush-hush").toString("base64")}`;
  const sent = rogue.seen.filter(({ path }) => path === "/token").map(({ authorization }) => authorization);
  expect(sent).toEqual([basic, basic]);
});

test("a document about the client is used where the authorization server takes one", async () => {
  await using rogue = await startRogueIssuer({ metadata: withDocuments });
  const { auth } = openAuth(rogue.url, { settings: { clientMetadataUrl } });
  expect((await begin(auth)).url.searchParams.get("client_id")).toBe(clientMetadataUrl);
  expect(rogue.count("/register")).toBe(0);
});

test("where it takes none, the client registers itself", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url, { settings: { clientMetadataUrl } });
  expect((await begin(auth)).url.searchParams.get("client_id")).toMatch(/^client-/);
  expect(rogue.count("/register")).toBe(1);
});

test("a client that registered itself is known again at the next sign-in, if the browser comes back to the same place", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url);
  await signIn(auth);
  const known = (await begin(auth)).url.searchParams.get("client_id");
  expect(rogue.count("/register")).toBe(1);
  const signal = new AbortController().signal;
  const elsewhere = await auth.begin({ redirectUri: redirectUri.replace(":9/", ":10/"), signal });
  expect(elsewhere).toMatchObject({ kind: "redirect" });
  expect("url" in elsewhere && elsewhere.url.searchParams.get("client_id")).not.toBe(known);
  expect(rogue.count("/register")).toBe(2);
});

test("a sign-in that is cancelled leaves nothing behind, and disturbs no other", async () => {
  await using rogue = await startRogueIssuer();
  const { auth, file } = openAuth(rogue.url);
  const [one, two] = [await begin(auth), await begin(auth)];
  await auth.cancel(one.state);
  expect([await auth.isWaiting(one.state), await auth.isWaiting(two.state)]).toEqual([false, true]);
  await auth.cancel(two.state);
  expect(file.kept()).toBeUndefined();
});

test("a sign-in that nobody finishes is forgotten after ten minutes", async () => {
  await using rogue = await startRogueIssuer();
  let at = Date.now();
  const { auth, file } = openAuth(rogue.url, { now: () => at });
  const old = await begin(auth);
  at += 600_001;
  const fresh = await begin(auth);
  expect(Object.keys(file.kept()?.pending ?? {})).toEqual([fresh.state]);
  expect(await auth.isWaiting(old.state)).toBe(false);
});

test.each<[string, (auth: ServerAuth, begun: RedirectSignIn) => Promise<unknown>]>([
  ["is looked for", (auth, { state }) => auth.isWaiting(state)],
  ["comes back after all", async (auth, { url }) => auth.finish(await visit(url)).catch(() => {})],
  ["is shown in a list", (auth) => auth.status()],
])("nothing is left of a sign-in that nobody finished when it %s", async (_, look) => {
  await using rogue = await startRogueIssuer();
  let at = Date.now();
  const { auth, file } = openAuth(rogue.url, { now: () => at });
  const begun = await begin(auth);
  at += 600_001;
  await look(auth, begun);
  expect(file.kept()).toBeUndefined();
  expect(rogue.count("/token")).toBe(0);
});

test("a sign-in that still waits is left in peace when it is looked for", async () => {
  await using rogue = await startRogueIssuer();
  let at = Date.now();
  const { auth, file } = openAuth(rogue.url, { now: () => at });
  const { state } = await begin(auth);
  at += 599_999;
  expect(await auth.isWaiting(state)).toBe(true);
  expect(await auth.status()).toEqual({ kind: "none" });
  expect(Object.keys(file.kept()?.pending ?? {})).toEqual([state]);
});

test("a sign-in is finished by another process than began it", async () => {
  await using rogue = await startRogueIssuer();
  const one = openAuth(rogue.url);
  const { url } = await begin(one.auth);
  const other = openAuth(rogue.url, { file: one.file });
  const callback = new URL((await fetch(url, { redirect: "manual" })).headers.get("location") ?? "");
  await other.auth.finish(callback.searchParams);
  expect(await one.auth.status()).toMatchObject({ kind: "signed-in" });
});

test("where no way is left, a person is told what to register and where to put it", async () => {
  await using rogue = await startRogueIssuer({
    metadata: (document) => ({ ...document, registration_endpoint: undefined }),
  });
  const { auth, file } = openAuth(rogue.url);
  await expect(begin(auth)).rejects.toMatchObject({
    code: "config",
    message: expect.stringContaining("auth.clientId"),
  });
  expect(file.kept()).toBeUndefined();
});

test.each([
  ["lacks the id of the client", '{"redirect_uris":[],"client_secret":"hush-hush"}', "`client_id`"],
  ["is not JSON", "<p>hush-hush</p>", "not JSON"],
])("a registration whose answer %s says what is wrong with it, and repeats no secret", async (_, body, said) => {
  await using rogue = await startRogueIssuer({
    quirk: (path) => (path === "/register" ? { status: 201, body } : undefined),
  });
  const { auth } = openAuth(rogue.url);
  const fault = await begin(auth).catch((error: unknown) => error as Error);
  expect(fault).toMatchObject({ code: "denied", message: expect.stringContaining(said) });
  expect((fault as Error).message).not.toContain("hush-hush");
});

test("an authorization server that offers pushed requests, but refuses ours, gets the usual request", async () => {
  await using rogue = await startRogueIssuer({
    metadata: (document) => ({
      ...document,
      pushed_authorization_request_endpoint: `${String(document["issuer"])}/par`,
    }),
    quirk: (path) => (path === "/par" ? { status: 401, body: '{"error":"invalid_client"}' } : undefined),
  });
  const { auth } = openAuth(rogue.url);
  await signIn(auth);
  expect(rogue.count("/par")).toBe(1);
  expect(await auth.status()).toMatchObject({ kind: "signed-in" });
});
