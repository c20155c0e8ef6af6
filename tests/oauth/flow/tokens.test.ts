import { expect, test } from "vitest";
import type { ServerAuth } from "../../../src/sources/servers/oauth/server-auth.ts";
import { until } from "../../support/until.ts";
import { openAuth, signIn } from "../fixtures/open-auth.ts";
import { type RogueIssuer, startRogueIssuer } from "../fixtures/rogue-issuer.ts";

const refused = { status: 401, headers: { "www-authenticate": "Bearer" } };

async function tokenSent(auth: ServerAuth, url: URL): Promise<string | undefined> {
  return (await auth.request("POST", url).headers())["authorization"];
}

function refreshes(rogue: RogueIssuer): number {
  return rogue.seen.filter(({ params }) => params.get("grant_type") === "refresh_token").length;
}

/** A sign-in an hour ago by its own clock, with so much left of its token. */
async function openWithLeft(rogue: RogueIssuer, leftMs: number) {
  let at = Date.now();
  const opened = openAuth(rogue.url, { now: () => at });
  await signIn(opened.auth);
  at += 3_600_000 - leftMs;
  return opened;
}

test("a token with a minute left is sent as it is, one with less is renewed first", async () => {
  await using rogue = await startRogueIssuer();
  const good = await openWithLeft(rogue, 60_000);
  const first = await tokenSent(good.auth, rogue.url);
  expect(first).toBe(`Bearer ${good.file.kept()?.tokens?.accessToken}`);
  expect(refreshes(rogue)).toBe(0);
  const short = await openWithLeft(rogue, 59_999);
  const old = short.file.kept()?.tokens;
  const second = await tokenSent(short.auth, rogue.url);
  expect(second).toBe(`Bearer ${short.file.kept()?.tokens?.accessToken}`);
  expect(second).not.toContain(old?.accessToken);
  expect(refreshes(rogue)).toBe(1);
});

test("a token that lives for less than a minute in all is not renewed before every request", async () => {
  await using rogue = await startRogueIssuer({ expiresIn: 30 });
  let at = Date.now();
  const { auth } = openAuth(rogue.url, { now: () => at });
  await signIn(auth);
  at += 14_000;
  await tokenSent(auth, rogue.url);
  expect(refreshes(rogue)).toBe(0);
  at += 2000;
  await tokenSent(auth, rogue.url);
  expect(refreshes(rogue)).toBe(1);
});

test("a token that says nothing usable about its end is not renewed before every request", async () => {
  await using rogue = await startRogueIssuer({ expiresIn: null });
  const { auth } = openAuth(rogue.url);
  await signIn(auth);
  await tokenSent(auth, rogue.url);
  expect(refreshes(rogue)).toBe(0);
  expect(await auth.status()).toMatchObject({ kind: "signed-in", expiresAt: undefined });
});

test("a token that is good beyond all time has an end that is a date", async () => {
  await using rogue = await startRogueIssuer({ expiresIn: 1e300 });
  const { auth } = openAuth(rogue.url);
  await signIn(auth);
  const year = new Date((await auth.status()).expiresAt ?? 0).getUTCFullYear();
  expect([9, 10]).toContain(year - new Date().getUTCFullYear());
});

test("the rotated refresh token is kept before the new token is sent", async () => {
  await using rogue = await startRogueIssuer();
  const { auth, file } = await openWithLeft(rogue, 1000);
  const before = file.kept()?.tokens?.refreshToken;
  await tokenSent(auth, rogue.url);
  const spent = rogue.seen.find(({ params }) => params.get("grant_type") === "refresh_token");
  expect(spent?.params.get("refresh_token")).toBe(before);
  expect(spent?.params.get("resource")).toBe(rogue.url.href);
  expect(file.kept()?.tokens?.refreshToken).not.toBe(before);
});

test("a hundred requests that find the token about to expire bring one refresh", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = await openWithLeft(rogue, 1000);
  const sent = await Promise.all(Array.from({ length: 100 }, () => tokenSent(auth, rogue.url)));
  expect(new Set(sent).size).toBe(1);
  expect(refreshes(rogue)).toBe(1);
});

test("a late refusal of the token before does not spend another refresh token", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url);
  await signIn(auth);
  const [early, late] = [auth.request("POST", rogue.url), auth.request("POST", rogue.url)];
  await early.headers();
  await late.headers();
  expect(await early.refused(refused)).toBe(true);
  const renewed = await early.headers();
  expect(await late.refused(refused)).toBe(true);
  expect(await late.headers()).toEqual(renewed);
  expect(refreshes(rogue)).toBe(1);
});

test("two processes that are refused with the same token spend one refresh token between them", async () => {
  await using rogue = await startRogueIssuer();
  const one = openAuth(rogue.url);
  await signIn(one.auth);
  const other = openAuth(rogue.url, { file: one.file });
  const requests = [one.auth, other.auth].map((auth) => auth.request("POST", rogue.url));
  await Promise.all(requests.map((request) => request.headers()));
  expect(await Promise.all(requests.map((request) => request.refused(refused)))).toEqual([true, true]);
  const [first, second] = await Promise.all(requests.map((request) => request.headers()));
  expect(first).toEqual(second);
  expect(refreshes(rogue)).toBe(1);
});

test("whoever gives up waiting for a refresh does not lose it for the others", async () => {
  await using rogue = await startRogueIssuer();
  const { auth, file } = await openWithLeft(rogue, 1000);
  const giveUp = new AbortController();
  const first = auth.request("POST", rogue.url).headers(giveUp.signal);
  const second = tokenSent(auth, rogue.url);
  giveUp.abort();
  await expect(first).rejects.toMatchObject({ code: "cancelled" });
  expect(await second).toBe(`Bearer ${file.kept()?.tokens?.accessToken}`);
  expect(refreshes(rogue)).toBe(1);
});

test("whoever has been stopped already starts no refresh", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = await openWithLeft(rogue, 1000);
  const stopped = AbortSignal.abort(new Error("no longer wanted"));
  await expect(auth.request("POST", rogue.url).headers(stopped)).rejects.toThrow("no longer wanted");
  expect(await tokenSent(auth, rogue.url)).toContain("Bearer ");
  expect(refreshes(rogue)).toBe(1);
});

test("while the authorization server is down, a token that is still good goes on being used", async () => {
  await using rogue = await startRogueIssuer({ refreshStatus: 503 });
  const { auth, file } = await openWithLeft(rogue, 30_000);
  expect(await tokenSent(auth, rogue.url)).toBe(`Bearer ${file.kept()?.tokens?.accessToken}`);
});

test("while the authorization server says nothing, a token that is still good goes on being used", async () => {
  await using rogue = await startRogueIssuer({ holdRefresh: () => new Promise(() => {}) });
  const { file } = await openWithLeft(rogue, 0);
  const left = (ms: number) =>
    openAuth(rogue.url, { file, timeoutMs: 50, now: () => (file.kept()?.tokens?.expiresAt ?? 0) - ms }).auth;
  expect(await tokenSent(left(30_000), rogue.url)).toBe(`Bearer ${file.kept()?.tokens?.accessToken}`);
  await expect(tokenSent(left(0), rogue.url)).rejects.toMatchObject({ code: "timeout" });
});

test("while the authorization server is down, an expired token is no reason to sign in again", async () => {
  await using rogue = await startRogueIssuer({ refreshStatus: 503 });
  const { auth, file } = await openWithLeft(rogue, -1000);
  await expect(tokenSent(auth, rogue.url)).rejects.toMatchObject({ code: "unavailable" });
  expect(file.kept()?.tokens?.refreshToken).toBeDefined();
  delete rogue.settings.refreshStatus;
  expect(await tokenSent(auth, rogue.url)).toContain("Bearer ");
});

test("an authorization server that issues tokens elsewhere by now is found there", async () => {
  await using rogue = await startRogueIssuer();
  const { auth, file } = openAuth(rogue.url);
  await signIn(auth);
  await file.change((kept) => {
    const { discovery: place } = kept ?? {};
    if (!kept || !place?.server.metadata) throw new Error("nobody is signed in");
    const metadata = { ...place.server.metadata, token_endpoint: `${rogue.origin}/old-token` };
    return { ...kept, discovery: { ...place, server: { ...place.server, metadata } } };
  });
  const other = openAuth(rogue.url, { file, now: () => Date.now() + 3_600_000 });
  expect(await tokenSent(other.auth, rogue.url)).toBe(`Bearer ${file.kept()?.tokens?.accessToken}`);
  expect(rogue.seen.map(({ path }) => path)).toContain("/old-token");
  expect(refreshes(rogue)).toBe(2);
});

test("a refused refresh forgets the tokens, but neither the client nor who issued them", async () => {
  await using rogue = await startRogueIssuer({ refuseRefresh: true });
  const { auth, file } = await openWithLeft(rogue, -1000);
  expect(await tokenSent(auth, rogue.url)).toBeUndefined();
  expect(file.kept()).toMatchObject({ issuer: rogue.origin, clients: { [rogue.origin]: {} } });
  expect(file.kept()?.tokens).toBeUndefined();
  expect(await auth.status()).toMatchObject({ kind: "needs-sign-in" });
});

test("a token goes to the server it was issued for, and to no other", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url);
  await signIn(auth);
  expect(await tokenSent(auth, rogue.url)).toContain("Bearer ");
  expect(await tokenSent(auth, new URL("https://evil.example/mcp"))).toBeUndefined();
  expect(await tokenSent(auth, new URL(rogue.url.href.replace("http:", "https:")))).toBeUndefined();
});

test("a server that names another authorization server while it refuses the token is told of, and no refresh is sent", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url);
  await signIn(auth);
  rogue.settings.resource = (document) => ({ ...document, authorization_servers: ["https://other.example"] });
  const request = auth.request("POST", rogue.url);
  await request.headers();
  await expect(request.refused(refused)).rejects.toMatchObject({
    code: "unauthorized",
    message: expect.stringContaining("--issuer"),
  });
  expect(refreshes(rogue)).toBe(0);
});

test("a server that refuses every token costs one refresh a request", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url);
  await signIn(auth);
  const request = auth.request("POST", rogue.url);
  const again = async () => {
    for (;;) {
      await request.headers();
      await request.refused(refused);
    }
  };
  await expect(again()).rejects.toMatchObject({ code: "unauthorized", detail: { signIn: "refused" } });
  expect(refreshes(rogue)).toBe(1);
});

test("a token that another request got meanwhile is tried, and not renewed where it is refused as well", async () => {
  await using rogue = await startRogueIssuer();
  let at = Date.now();
  const { auth } = openAuth(rogue.url, { now: () => at++ });
  await signIn(auth);
  const [early, late] = [auth.request("POST", rogue.url), auth.request("POST", rogue.url)];
  await early.headers();
  await late.headers();
  await early.refused(refused);
  expect(await late.refused(refused)).toBe(true);
  expect(await late.headers()).toEqual(await early.headers());
  await expect(late.refused(refused)).rejects.toMatchObject({ code: "unauthorized" });
  expect(refreshes(rogue)).toBe(1);
});

test("signing out during a refresh revokes the tokens that the refresh brings", async () => {
  await using rogue = await startRogueIssuer();
  rogue.settings.metadata = (document) => ({ ...document, revocation_endpoint: `${rogue.origin}/revoke` });
  const { auth, file } = await openWithLeft(rogue, 1000);
  const held = Promise.withResolvers<void>();
  rogue.settings.holdRefresh = () => held.promise;
  const refreshed = auth.request("POST", rogue.url).headers();
  await until(() => refreshes(rogue) === 1);
  const out = auth.logout();
  held.resolve();
  const [{ authorization }] = await Promise.all([refreshed, out]);
  const revoked = rogue.seen.filter(({ path }) => path === "/revoke").map(({ params }) => params.get("token"));
  expect(revoked).toHaveLength(2);
  expect(`Bearer ${revoked[1]}`).toBe(authorization);
  expect(file.kept()).toBeUndefined();
});

test("signing out forgets everything", async () => {
  await using rogue = await startRogueIssuer();
  const { auth, file } = openAuth(rogue.url);
  await signIn(auth);
  expect(await auth.logout()).toEqual({ wasSignedIn: true, revoked: false });
  expect(file.kept()).toBeUndefined();
  expect(await tokenSent(auth, rogue.url)).toBeUndefined();
});
