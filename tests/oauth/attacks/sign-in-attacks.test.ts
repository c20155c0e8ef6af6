import { expect, test } from "vitest";
import { begin, openAuth, redirectUri, signIn, visit } from "../fixtures/open-auth.ts";
import { startRogueIssuer } from "../fixtures/rogue-issuer.ts";

test("an answer that names another issuer is refused, and its code is shown to nobody", async () => {
  await using rogue = await startRogueIssuer({
    callback: (url) => url.searchParams.set("iss", "https://evil.example"),
  });
  const { auth, file } = openAuth(rogue.url);
  await expect(signIn(auth)).rejects.toMatchObject({ code: "denied", message: expect.not.stringContaining("evil") });
  expect(rogue.count("/token")).toBe(0);
  expect(file.kept()).toBeUndefined();
});

test("an answer without its issuer is refused where the authorization server promised to name it", async () => {
  await using rogue = await startRogueIssuer({ callback: (url) => url.searchParams.delete("iss") });
  const { auth, file } = openAuth(rogue.url);
  await expect(signIn(auth)).rejects.toMatchObject({ code: "denied" });
  expect(rogue.count("/token")).toBe(0);
  expect(file.kept()).toBeUndefined();
});

test("a stolen code is worth nothing without the verifier of the sign-in it was made for", async () => {
  await using rogue = await startRogueIssuer();
  const victim = openAuth(rogue.url);
  const stolen = await visit((await begin(victim.auth)).url);
  const thief = openAuth(rogue.url);
  const { state } = await begin(thief.auth);
  stolen.set("state", state);
  await expect(thief.auth.finish(stolen)).rejects.toMatchObject({ code: "unauthorized" });
  expect(thief.file.kept()).toBeUndefined();
});

test("a callback counts once", async () => {
  await using rogue = await startRogueIssuer();
  const { auth, file } = openAuth(rogue.url);
  const callback = await visit((await begin(auth)).url);
  await auth.finish(callback);
  const kept = file.kept();
  await expect(auth.finish(callback)).rejects.toMatchObject({ code: "denied" });
  expect(rogue.count("/token")).toBe(1);
  expect(file.kept()).toEqual(kept);
});

test("two callbacks of one sign-in at once bring one exchange", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url);
  const callback = await visit((await begin(auth)).url);
  const outcomes = await Promise.allSettled([auth.finish(callback), auth.finish(callback)]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(rogue.count("/token")).toBe(1);
});

test.each([
  ["of an earlier sign-in", (state: string) => state],
  ["that was never ours", () => "guessed"],
  ["that is a name every object has", () => "__proto__"],
])("a state %s is refused", async (_, change) => {
  await using rogue = await startRogueIssuer();
  const { auth, file } = openAuth(rogue.url);
  const first = await begin(auth);
  await auth.cancel(first.state);
  const second = await visit((await begin(auth)).url);
  second.set("state", change(first.state));
  await expect(auth.finish(second)).rejects.toMatchObject({ code: "denied" });
  expect(rogue.count("/token")).toBe(0);
  expect(file.kept()?.tokens).toBeUndefined();
});

test("a code without any state is taken from a person who typed it, and from nobody else", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url);
  const { url } = await begin(auth);
  const bare = new URLSearchParams({ code: (await visit(url)).get("code") ?? "" });
  await expect(auth.finish(bare)).rejects.toMatchObject({ code: "denied" });
  await auth.finish(bare, { pasted: true });
  expect(await auth.status()).toMatchObject({ kind: "signed-in" });
});

test("a bare code is refused where several sign-ins wait: it could belong to any", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url);
  const { url } = await begin(auth);
  await begin(auth);
  const bare = new URLSearchParams({ code: (await visit(url)).get("code") ?? "" });
  await expect(auth.finish(bare, { pasted: true })).rejects.toMatchObject({ code: "denied" });
  expect(rogue.count("/token")).toBe(0);
});

test.each([
  "https://evil.example/callback",
  "http://evil.example/callback",
  "javascript:alert(1)",
  "http://127.0.0.1.evil.example/",
])("no sign-in begins that would come back to %s", async (elsewhere) => {
  await using rogue = await startRogueIssuer();
  const { auth, file } = openAuth(rogue.url);
  const signal = new AbortController().signal;
  await expect(auth.begin({ redirectUri: elsewhere, signal })).rejects.toMatchObject({ code: "denied" });
  expect(rogue.seen).toEqual([]);
  expect(file.kept()).toBeUndefined();
  expect((await begin(auth)).url.searchParams.get("redirect_uri")).toBe(redirectUri);
});

test.each([
  ["authorization_endpoint", "javascript:alert(1)"],
  ["authorization_endpoint", "http://evil.example/authorize"],
  ["token_endpoint", "http://evil.example/token"],
  ["registration_endpoint", "http://evil.example/register"],
  ["token_endpoint", "https://user:pass@evil.example/token"],
])("an authorization server whose %s is %s is refused before anything is sent there", async (name, address) => {
  await using rogue = await startRogueIssuer({ metadata: (document) => ({ ...document, [name]: address }) });
  const { auth, file } = openAuth(rogue.url);
  await expect(begin(auth)).rejects.toMatchObject({ code: "denied", message: expect.stringContaining(name) });
  expect(rogue.count("/register")).toBe(0);
  expect(file.kept()).toBeUndefined();
});

test("an authorization server that took the place of the one signed in with is noticed, and nothing is sent to it", async () => {
  await using rogue = await startRogueIssuer();
  await using other = await startRogueIssuer();
  const { auth, file } = openAuth(rogue.url);
  await signIn(auth);
  const kept = file.kept();
  rogue.settings.resource = (document) => ({ ...document, authorization_servers: [other.origin] });
  await expect(begin(auth)).rejects.toMatchObject({
    code: "denied",
    message: expect.stringContaining(`clawport auth notes --issuer "${other.origin}"`),
    detail: { issuer: other.origin, pinned: rogue.origin },
  });
  expect(other.seen).toEqual([]);
  expect(file.kept()).toEqual(kept);
});

test("the name of a new authorization server gets into no command that a shell would act on", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url);
  await signIn(auth);
  rogue.settings.resource = (document) => ({ ...document, authorization_servers: ["https://evil.example/$(id)"] });
  await expect(begin(auth)).rejects.toMatchObject({ code: "denied", message: expect.not.stringContaining("--issuer") });
});

test("a person may accept the new authorization server, which learns nothing of the old one", async () => {
  await using rogue = await startRogueIssuer();
  await using other = await startRogueIssuer();
  const { auth, file } = openAuth(rogue.url);
  await signIn(auth);
  const before = file.kept();
  rogue.settings.resource = (document) => ({ ...document, authorization_servers: [other.origin] });
  await signIn(auth, { issuer: other.origin });
  expect(file.kept()?.issuer).toBe(other.origin);
  const sent = JSON.stringify(other.seen.map(({ params }) => [...params]));
  const old = before?.clients[rogue.origin] as { client_id: string };
  expect(sent).not.toContain(old.client_id);
  expect(sent).not.toContain(before?.tokens?.accessToken);
  expect(sent).not.toContain(before?.tokens?.refreshToken);
});

test("only an authorization server that the server names can be accepted", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url);
  await expect(begin(auth, { issuer: "https://evil.example" })).rejects.toMatchObject({ code: "denied" });
});

test("a document that speaks for another issuer is refused", async () => {
  await using rogue = await startRogueIssuer({
    metadata: (document) => ({ ...document, issuer: "https://a.example" }),
  });
  const { auth, file } = openAuth(rogue.url);
  await expect(begin(auth)).rejects.toMatchObject({ code: "denied" });
  expect(file.kept()).toBeUndefined();
});

test("a server that has tokens made for another one is refused", async () => {
  await using rogue = await startRogueIssuer({
    resource: (document) => ({ ...document, resource: "https://bank.example/mcp" }),
  });
  const { auth, file } = openAuth(rogue.url);
  await expect(begin(auth)).rejects.toMatchObject({ code: "denied", message: expect.stringContaining("bank.example") });
  expect(rogue.count("/register")).toBe(0);
  expect(file.kept()).toBeUndefined();
});

test.each([
  ["does not announce PKCE", undefined, "allowMissingPkce"],
  ["checks only plain challenges", ["plain"], "S256"],
])("an authorization server that %s is refused before anybody registers", async (_, methods, hint) => {
  await using rogue = await startRogueIssuer({
    metadata: (document) => ({ ...document, code_challenge_methods_supported: methods }),
  });
  const { auth, file } = openAuth(rogue.url);
  await expect(begin(auth)).rejects.toMatchObject({ code: "denied", message: expect.stringContaining(hint) });
  expect(rogue.count("/register")).toBe(0);
  expect(file.kept()).toBeUndefined();
});

test("a refused consent says so, and leaves nothing behind", async () => {
  await using rogue = await startRogueIssuer({
    callback(url) {
      url.searchParams.delete("code");
      url.searchParams.set("error", "access_denied");
    },
  });
  const { auth, file } = openAuth(rogue.url);
  await expect(signIn(auth)).rejects.toMatchObject({
    code: "denied",
    message: expect.stringContaining("access_denied"),
  });
  expect(file.kept()).toBeUndefined();
});
