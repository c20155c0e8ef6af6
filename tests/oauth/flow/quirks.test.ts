import { expect, test } from "vitest";
import { begin, openAuth, signIn } from "../fixtures/open-auth.ts";
import { type Quirk, type RogueIssuer, type RogueSettings, startRogueIssuer } from "../fixtures/rogue-issuer.ts";

const hour = 3_600_000;

/** Signed in, with a token that has expired. */
async function openExpired(started: RogueSettings | RogueIssuer = {}) {
  const rogue = "settings" in started ? started : await startRogueIssuer(started);
  let at = Date.now();
  const opened = openAuth(rogue.url, { now: () => at });
  await signIn(opened.auth);
  at += hour + 1000;
  const send = () => opened.auth.request("POST", rogue.url).headers();
  return { ...opened, rogue, send, [Symbol.asyncDispose]: () => rogue[Symbol.asyncDispose]() };
}

const json = (status: number, value: unknown): Quirk => ({ status, body: JSON.stringify(value) });

const overloads: readonly (readonly [string, Quirk])[] = [
  ["429 with too_many_requests", json(429, { error: "too_many_requests" })],
  ["429 with slow_down", json(429, { error: "slow_down" })],
  ["429 with invalid_grant", json(429, { error: "invalid_grant" })],
  ["500 with internal_server_error", json(500, { error: "internal_server_error" })],
  ["503 with service_unavailable", json(503, { error: "service_unavailable" })],
  ["503 with invalid_grant", json(503, { error: "invalid_grant" })],
  ["502 with a web page", { status: 502, type: "text/html", body: "<!doctype html><h1>Bad gateway</h1>" }],
  ["500 with nothing", { status: 500 }],
  ["200 with a web page", { status: 200, type: "text/html", body: "<html>maintenance</html>" }],
];

test.each(overloads)(
  "a refresh answered with %s does not end the sign-in, and the next one works",
  async (_, quirk) => {
    await using server = await openExpired();
    const { rogue, file, send } = server;
    rogue.settings.quirk = (path) => (path === "/token" ? quirk : undefined);
    await expect(send()).rejects.toMatchObject({ code: "unavailable" });
    expect(file.kept()?.tokens?.refreshToken).toMatch(/^refresh-/);
    delete rogue.settings.quirk;
    expect((await send())["authorization"]).toBe(`Bearer ${file.kept()?.tokens?.accessToken}`);
  },
);

test.each(overloads)(
  "ten calls after the expiry make one refresh that is answered with %s, and one later",
  async (_, quirk) => {
    await using server = await openExpired();
    const { rogue, send } = server;
    const refreshes = () => rogue.seen.filter(({ params }) => params.get("grant_type") === "refresh_token").length;
    const sendTen = () => Promise.allSettled(Array.from({ length: 10 }, send));
    rogue.settings.quirk = (path) => (path === "/token" ? quirk : undefined);
    expect((await sendTen()).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => "rejected"));
    expect(refreshes()).toBe(1);
    delete rogue.settings.quirk;
    expect((await sendTen()).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => "fulfilled"));
    expect(refreshes()).toBe(2);
  },
);

test("a refresh that is refused as the standard has it ends the sign-in", async () => {
  await using server = await openExpired({ refuseRefresh: true });
  await server.send().catch(() => {});
  expect(server.file.kept()?.tokens).toBeUndefined();
});

const quirkyTokens: readonly (readonly [string, NonNullable<RogueSettings["tokens"]>])[] = [
  [
    "members that are null",
    (fields) => ({ body: JSON.stringify({ id_token: null, error: null, ...fields, scope: null }) }),
  ],
  ["no refresh token but null", (fields) => ({ body: JSON.stringify({ ...fields, refresh_token: null }) })],
  [
    "a form-encoded body",
    (fields) => ({
      type: "application/x-www-form-urlencoded",
      body: new URLSearchParams(fields as Record<string, string>).toString(),
    }),
  ],
  [
    "a form-encoded body that calls itself text",
    (fields) => ({ type: "text/plain", body: new URLSearchParams(fields as Record<string, string>).toString() }),
  ],
];

test.each(quirkyTokens)("tokens that come with %s are taken", async (_, tokens) => {
  await using rogue = await startRogueIssuer({ tokens });
  const { auth, file } = openAuth(rogue.url);
  await signIn(auth);
  expect(rogue.accepts((await auth.request("POST", rogue.url).headers())["authorization"])).toBe(true);
  expect(file.kept()?.tokens).toMatchObject({ tokenType: "Bearer", expiresAt: expect.any(Number) as number });
});

test.each(quirkyTokens)("ten calls after the expiry of tokens with %s make one refresh", async (name, tokens) => {
  await using server = await openExpired({ tokens });
  const sent = await Promise.all(Array.from({ length: 10 }, () => server.send().catch(() => undefined)));
  const refreshes = server.rogue.seen.filter(({ params }) => params.get("grant_type") === "refresh_token");
  const hasRefresh = name !== "no refresh token but null";
  expect(refreshes).toHaveLength(hasRefresh ? 1 : 0);
  // Without a refresh token each of them is refused alike, too.
  expect(new Set(sent.map((headers) => headers?.["authorization"])).size).toBe(1);
});

test("an error that comes with status 200 is told as one", async () => {
  await using rogue = await startRogueIssuer({
    quirk: (path) =>
      path === "/token" ? json(200, { error: "bad_verification_code", error_description: "expired" }) : undefined,
  });
  await expect(signIn(openAuth(rogue.url).auth)).rejects.toThrow(/bad_verification_code.*expired/);
});

test("a web page instead of a token is told as one", async () => {
  await using rogue = await startRogueIssuer({
    quirk: (path) => (path === "/token" ? { status: 200, type: "text/html", body: "<html>log in</html>" } : undefined),
  });
  await expect(signIn(openAuth(rogue.url).auth)).rejects.toThrow("answered with a web page instead of a token");
});

const authorizationServer = "/.well-known/oauth-authorization-server";
const protectedResource = "/.well-known/oauth-protected-resource/mcp";

const wellKnownQuirks: readonly (readonly [string, Quirk])[] = [
  ["a web page", { status: 200, type: "text/html", body: "<html>app</html>" }],
  ["HTTP 500", { status: 500 }],
  ["HTTP 503", { status: 503 }],
];

/** An authorization server whose first well-known addresses answer like this; the documents are at the next ones. */
async function startMisplaced(quirk: Quirk): Promise<RogueIssuer> {
  const rogue = await startRogueIssuer();
  const { origin } = rogue;
  const documents: Record<string, object> = {
    "/.well-known/oauth-protected-resource": { resource: `${origin}/mcp`, authorization_servers: [origin] },
    "/.well-known/openid-configuration": {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      revocation_endpoint: null,
      scopes_supported: null,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    },
  };
  rogue.settings.quirk = (path) => {
    const document = documents[path];
    if (document) return json(200, document);
    return path === protectedResource || path === authorizationServer ? quirk : undefined;
  };
  return rogue;
}

test.each(wellKnownQuirks)("%s at one well-known address moves on to the next", async (_, quirk) => {
  await using rogue = await startMisplaced(quirk);
  const { auth, file } = openAuth(rogue.url);
  await signIn(auth);
  expect(file.kept()?.tokens?.accessToken).toMatch(/^access-/);
});

test.each(wellKnownQuirks)(
  "ten calls after the expiry make one refresh with %s at a well-known address",
  async (_, quirk) => {
    await using server = await openExpired(await startMisplaced(quirk));
    const sent = await Promise.all(Array.from({ length: 10 }, () => server.send()));
    expect(server.rogue.seen.filter(({ params }) => params.get("grant_type") === "refresh_token")).toHaveLength(1);
    expect(new Set(sent.map((headers) => headers["authorization"])).size).toBe(1);
  },
);

test("if no address has the document, the first failure is told", async () => {
  await using rogue = await startRogueIssuer({
    quirk: (path) => (path === authorizationServer ? { status: 500 } : undefined),
  });
  await expect(begin(openAuth(rogue.url).auth)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("HTTP 500") as string,
  });
});

test("a refused registration shows the reason of the server", async () => {
  await using rogue = await startRogueIssuer({
    quirk: (path) =>
      path === "/register"
        ? json(400, { error: "invalid_redirect_uri", error_description: "loopback is not allowed" })
        : undefined,
  });
  await expect(begin(openAuth(rogue.url).auth)).rejects.toThrow(
    /HTTP 400: "invalid_redirect_uri", "loopback is not allowed".*auth\.clientId/,
  );
});

test("a server that knows clients only by their document is answered with the setting for it", async () => {
  await using rogue = await startRogueIssuer({
    metadata: (document) => ({
      ...document,
      registration_endpoint: undefined,
      client_id_metadata_document_supported: true,
    }),
  });
  await expect(begin(openAuth(rogue.url).auth)).rejects.toThrow(/`auth\.clientMetadataUrl`/);
});

test("the redirect of a registration is known again, so that the next sign-in needs no other", async () => {
  await using rogue = await startRogueIssuer();
  const { auth } = openAuth(rogue.url);
  expect(await auth.registeredRedirect()).toBeUndefined();
  await signIn(auth);
  expect(await auth.registeredRedirect()).toBe("http://127.0.0.1:9/callback");
  for (let again = 0; again < 2; again++) await signIn(auth);
  expect(rogue.count("/register")).toBe(1);
});
