import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { AuthorizationServer } from "../support/oauth/authorization-server.ts";
import { openOAuthPlace } from "./open-oauth-place.ts";

// Browsers and hubs are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

const redirect_uris = ["http://127.0.0.1/callback"];
const native = { application_type: "native", redirect_uris, grant_types: ["authorization_code", "refresh_token"] };
const secret = "a secret that is long enough to sign with";

test.each([true, false])("a sign-in is announced first where that is offered (required: %s)", async (required) => {
  await using bench = await openOAuthPlace({ requirePushedRequests: required });
  const { answer } = await bench.runWithBrowser("consent", "auth", "one");
  expect([answer, bench.authority.errors]).toMatchObject([{ signedIn: true, tools: 2 }, []]);
  expect(bench.authority.paths).toContain("/request");
});

test("an announced sign-in shows the browser nothing but a reference", async () => {
  const clients = [{ ...native, client_id: "by:hand", client_secret: secret }];
  const settings = () => ({ auth: { clientId: "by:hand", clientSecret: secret } });
  await using bench = await openOAuthPlace({ clients, settings, requirePushedRequests: true });
  const { answer } = await bench.run("auth", "one", "--no-browser");
  const { searchParams } = new URL(String(answer["url"]));
  expect([...searchParams.keys()].toSorted()).toEqual(["client_id", "request_uri"]);
  expect((await bench.runWithBrowser("consent", "auth", "one")).answer).toMatchObject({ signedIn: true, tools: 2 });
});

test.each([
  ["it is the only way", ["client_secret_jwt"], {}],
  ["the configuration says so", ["client_secret_basic", "client_secret_jwt"], { signingAlgorithm: "HS256" }],
])("a secret signs instead of being sent where %s", async (_, clientAuthMethods, more) => {
  const client = { ...native, client_id: "by-hand", client_secret: secret };
  const clients = [{ ...client, token_endpoint_auth_method: "client_secret_jwt" }];
  const settings = () => ({ auth: { clientId: "by-hand", clientSecret: secret, ...more } });
  await using bench = await openOAuthPlace({ clients, clientAuthMethods, settings, requirePushedRequests: true });
  const { answer } = await bench.runWithBrowser("consent", "auth", "one");
  expect([answer, bench.authority.errors]).toMatchObject([{ signedIn: true, tools: 2 }, []]);
});

test("a client registers itself with a secret that signs, where that is the only way", async () => {
  await using bench = await openOAuthPlace({ clientAuthMethods: ["client_secret_jwt"] });
  const { answer } = await bench.runWithBrowser("consent", "auth", "one");
  expect([answer, bench.authority.errors]).toMatchObject([{ signedIn: true, tools: 2 }, []]);
});

test("a client that signs in as itself, with an Ed25519 key", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const clients = [
    {
      client_id: "robot",
      redirect_uris: [],
      response_types: [],
      grant_types: ["client_credentials"],
      scope: "mcp:read",
      token_endpoint_auth_method: "private_key_jwt",
      jwks: { keys: [{ ...publicKey.export({ format: "jwk" }), use: "sig" }] },
    },
  ];
  await using bench = await openOAuthPlace({ clients });
  const privateKeyFile = join(bench.place.folder, "robot.pem");
  writeFileSync(privateKeyFile, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
  const auth = { clientId: "robot", privateKeyFile, grant: "client-credentials" };
  await bench.place.configure({ one: { url: bench.server.url, auth } });
  const { exit, answer } = await bench.run("call", "one__read");
  expect([exit, JSON.stringify(answer), bench.authority.errors]).toEqual([0, expect.stringContaining("read with"), []]);
});

test("a registration that needs a token says so, and works with it", async () => {
  const initialAccessToken = "only-for-those-who-may-register";
  await using bench = await openOAuthPlace({ initialAccessToken });
  const refused = await bench.run("auth", "one");
  expect([refused.exit, JSON.stringify(refused.answer)]).toEqual([
    77,
    expect.stringContaining("auth.initialAccessToken"),
  ]);
  const auth = ({ issuer }: AuthorizationServer) => ({
    initialAccessToken: "$REGISTER_WITH",
    authorizationServerUrl: issuer,
  });
  bench.place.env.REGISTER_WITH = initialAccessToken;
  await bench.place.configure({ one: { url: bench.server.url, auth: auth(bench.authority) } });
  const { answer } = await bench.runWithBrowser("consent", "auth", "one");
  expect(answer).toMatchObject({ signedIn: true, tools: 2 });
});

test("a scope that the authorization server does not know leads to the setting that names others", async () => {
  await using bench = await openOAuthPlace({ scopes: ["mcp:write"] });
  const { exit, answer } = await bench.run("auth", "one");
  expect([exit, JSON.stringify(answer)]).toEqual([77, expect.stringContaining("auth.scopes")]);
  expect(JSON.stringify(answer)).toContain("mcp:read");
});
