import { expect, test } from "vitest";
import { begin, openAuth, redirectUri, signIn, visit } from "../fixtures/open-auth.ts";
import { startRogueIssuer } from "../fixtures/rogue-issuer.ts";

test("the sign-in goes the whole way: the challenge's document, the authorization server's, registration, PKCE", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url);
  const { url, state } = await begin(auth);
  const query = Object.fromEntries(url.searchParams);
  expect(url.href).toMatch(`${rogue.origin}/authorize?`);
  expect(query).toMatchObject({
    response_type: "code",
    code_challenge_method: "S256",
    redirect_uri: redirectUri,
    resource: rogue.url.href,
    scope: "read",
    state,
  });
  expect(state).toMatch(/^[\w-]{43}$/);
});

test("`resource` is sent to both endpoints, also where the server has no document of its own", async () => {
  await using rogue = await startRogueIssuer({ resource: () => undefined });
  const { auth } = openAuth(rogue.url);
  await signIn(auth);
  const sent = ["/authorize", "/token"].map((path) =>
    rogue.seen.find((each) => each.path === path)?.params.get("resource"),
  );
  expect(sent).toEqual([rogue.url.href, rogue.url.href]);
});

test("a key in the server's address goes to the server alone", async () => {
  await using rogue = await startRogueIssuer({ resource: () => undefined });
  const { auth, file } = openAuth(new URL(`${rogue.url.href}?key=hush-hush`));
  const { url } = await begin(auth);
  expect([url.searchParams.get("resource"), url.href.includes("hush")]).toEqual([rogue.url.href, false]);
  await auth.finish(await visit(url));
  const sent = rogue.seen.filter(({ path }) => ["/authorize", "/token", "/register"].includes(path));
  expect(sent.map(({ path }) => path)).toEqual(["/register", "/authorize", "/token"]);
  expect(sent.some(({ params }) => params.toString().includes("hush"))).toBe(false);
  expect(file.kept()?.tokens?.accessToken).toBeDefined();
});

test("`resource` is left out where the configuration says so", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url, { settings: { omitResource: true } });
  await signIn(auth);
  expect(rogue.seen.filter(({ params }) => params.has("resource"))).toEqual([]);
});

test("a server that sends no challenge is found by its documents", async () => {
  await using rogue = await startRogueIssuer({ challenge: () => undefined });
  const { auth } = openAuth(rogue.url);
  await signIn(auth);
  expect(await auth.status()).toMatchObject({ kind: "signed-in", issuer: rogue.origin });
});

test("a challenge is found among several headers and schemes", async () => {
  await using rogue = await startRogueIssuer({ challenge: (told) => ['Basic realm="x", Negotiate', told] });
  const { auth } = openAuth(rogue.url);
  expect((await begin(auth)).url.searchParams.get("scope")).toBe("read");
});

test("authorization servers are tried in the order in which the server names them", async () => {
  await using rogue = await startRogueIssuer();
  await using silent = await startRogueIssuer({ metadata: () => undefined });
  rogue.settings.resource = (document) => ({
    ...document,
    authorization_servers: ["http://127.0.0.1:1", silent.origin, rogue.origin],
  });
  const { auth, file } = openAuth(rogue.url);
  await signIn(auth);
  expect(file.kept()?.issuer).toBe(rogue.origin);
  expect(silent.count("/.well-known/oauth-authorization-server")).toBe(1);
});

test("with several to choose from, the one signed in with before is asked, wherever it stands", async () => {
  await using rogue = await startRogueIssuer();
  await using other = await startRogueIssuer();
  const { auth } = openAuth(rogue.url);
  await signIn(auth);
  rogue.settings.resource = (document) => ({ ...document, authorization_servers: [other.origin, rogue.origin] });
  expect((await begin(auth)).url.origin).toBe(rogue.origin);
  expect(other.seen).toEqual([]);
});

test("an OpenID document that lacks what signing in does not need is good enough", async () => {
  await using rogue = await startRogueIssuer({
    metadata: ({ issuer, authorization_endpoint, token_endpoint, registration_endpoint }) => ({
      issuer,
      authorization_endpoint,
      token_endpoint,
      registration_endpoint,
      code_challenge_methods_supported: ["S256"],
      scopes_supported: "not a list",
    }),
  });
  const { auth } = openAuth(rogue.url);
  await signIn(auth);
  expect(await auth.status()).toMatchObject({ kind: "signed-in" });
});

test("the authorization server of the configuration goes before the one the server names", async () => {
  await using rogue = await startRogueIssuer({
    resource: (document) => ({ ...document, authorization_servers: ["https://evil.example"] }),
  });
  const { auth } = openAuth(rogue.url, { settings: { authorizationServerUrl: rogue.origin } });
  expect((await begin(auth)).url.origin).toBe(rogue.origin);
});

test("scopes of the configuration go before those of the server", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url, { settings: { scopes: ["notes:all", "mail:read"] } });
  expect((await begin(auth)).url.searchParams.get("scope")).toBe("notes:all mail:read");
});

test("rights that are wanted besides are asked for together with those that are held", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url);
  await signIn(auth);
  expect((await begin(auth, { scope: "write" })).url.searchParams.get("scope")).toBe("read write");
});

test.each([
  "http://169.254.169.254/latest/meta-data",
  "https://169.254.169.254/latest/meta-data",
  "https://10.0.0.5/.well-known/oauth-protected-resource",
  "https://[fd00:ec2::254]/latest/meta-data",
])("a challenge that points to %s is refused, and nothing goes on", async (address) => {
  await using rogue = await startRogueIssuer({ challenge: () => `Bearer resource_metadata="${address}"` });
  const { auth, file } = openAuth(rogue.url);
  await expect(begin(auth)).rejects.toMatchObject({ code: "denied" });
  expect(file.kept()).toBeUndefined();
});

test.each(["http://169.254.169.254", "https://169.254.169.254", "https://10.0.0.5", "https://[fd00::1]"])(
  "an authorization server at %s is refused, and nothing goes on",
  async (address) => {
    await using rogue = await startRogueIssuer({
      resource: (document) => ({ ...document, authorization_servers: [address] }),
    });
    const { auth, file } = openAuth(rogue.url);
    await expect(begin(auth)).rejects.toMatchObject({ code: "denied" });
    expect(file.kept()).toBeUndefined();
  },
);

test("an opt-out lets an authorization server pass that does not say it checks PKCE; the challenge is sent all the same", async () => {
  await using rogue = await startRogueIssuer({
    metadata: (document) => ({ ...document, code_challenge_methods_supported: undefined }),
  });
  const { auth } = openAuth(rogue.url, { settings: { allowMissingPkce: true } });
  const { url } = await begin(auth);
  expect(url.searchParams.get("code_challenge_method")).toBe("S256");
});
