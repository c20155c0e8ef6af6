import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { clientDocument } from "../../src/sources/servers/oauth/registration/client-document.ts";
import { freePort } from "../support/free-port.ts";
import type { AuthorizationServer } from "../support/oauth/authorization-server.ts";
import { openOAuthPlace } from "./open-oauth-place.ts";

// Browsers, hubs and keyrings are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

const redirect_uris = ["http://127.0.0.1/callback"];
const native = { application_type: "native", redirect_uris, grant_types: ["authorization_code", "refresh_token"] };

test("a client that registers itself", async () => {
  await using bench = await openOAuthPlace();
  const { answer } = await bench.runWithBrowser("consent", "auth", "one");
  expect(answer).toMatchObject({ signedIn: true, tools: 2 });
  expect(bench.authority.paths).toContain("/reg");
});

test.each(["client_secret_basic", "client_secret_post"])(
  "a client registered by hand, with a secret (%s)",
  async (method) => {
    const secret = "s+/%&=: x";
    const clients = [{ ...native, client_id: "by:hand", client_secret: secret, token_endpoint_auth_method: method }];
    const settings = () => ({ auth: { clientId: "by:hand", clientSecret: secret } });
    await using bench = await openOAuthPlace({ clients, settings });
    const { answer } = await bench.runWithBrowser("consent", "auth", "one");
    expect([answer, bench.authority.errors]).toMatchObject([{ signedIn: true, tools: 2 }, []]);
    expect(bench.authority.paths).not.toContain("/reg");
  },
);

test("a client registered by hand, without a secret", async () => {
  const clients = [{ ...native, client_id: "public", token_endpoint_auth_method: "none" }];
  await using bench = await openOAuthPlace({ clients, settings: () => ({ auth: { clientId: "public" } }) });
  const { answer } = await bench.runWithBrowser("consent", "auth", "one");
  expect([answer, bench.authority.errors]).toMatchObject([{ signedIn: true, tools: 2 }, []]);
});

test("a client that a document describes", async () => {
  const url = "https://clawport.example.com/client.json";
  const documents = { [url]: clientDocument(url) };
  await using bench = await openOAuthPlace({ documents, settings: () => ({ auth: { clientMetadataUrl: url } }) });
  const { answer } = await bench.runWithBrowser("consent", "auth", "one");
  expect([answer, bench.authority.errors]).toMatchObject([{ signedIn: true, tools: 2 }, []]);
  expect(bench.authority.paths).not.toContain("/reg");
});

test.each([
  ["redirectPort", (port: number) => ({ redirectPort: port }), (port: number) => `http://127.0.0.1:${port}/callback`],
  [
    "redirectUri",
    (port: number) => ({ redirectUri: `http://localhost:${port}/back` }),
    (port: number) => `http://localhost:${port}/back`,
  ],
])("a client whose way back is fixed (%s)", async (_, auth, address) => {
  const port = await freePort();
  await using bench = await openOAuthPlace({ settings: () => ({ auth: auth(port) }) });
  const { answer } = await bench.run("auth", "one", "--no-browser");
  expect(new URL(String(answer["url"])).searchParams.get("redirect_uri")).toBe(address(port));
  expect((await bench.runWithBrowser("consent", "auth", "one")).answer).toMatchObject({ signedIn: true });
});

test("where nobody may register, the person is asked for a client", async () => {
  await using bench = await openOAuthPlace({ registration: false });
  const { exit, answer } = await bench.run("auth", "one");
  expect(exit).not.toBe(0);
  expect(JSON.stringify(answer)).toContain("auth.clientId");
});

test("a token that is about to expire is renewed before it is shown, and the new refresh token is kept", async () => {
  await using bench = await openOAuthPlace();
  await bench.runWithBrowser("consent", "auth", "one");
  for (let round = 1; round <= 3; round++) {
    await bench.age(30_000);
    expect((await bench.run("call", "one__read")).exit).toBe(0);
    expect(bench.authority.grants).toEqual(["authorization_code", ...Array<string>(round).fill("refresh_token")]);
  }
  expect(bench.authority.errors).toEqual([]);
});

test("a refresh that is refused means signing in again, and says so", async () => {
  await using bench = await openOAuthPlace();
  await bench.runWithBrowser("consent", "auth", "one");
  await bench.authority.revokeAll();
  const { exit, answer } = await bench.run("call", "one__read");
  expect(exit).not.toBe(0);
  expect(JSON.stringify(answer)).toContain("clawport auth one");
  expect((await bench.runWithBrowser("consent", "auth", "one")).answer).toMatchObject({ signedIn: true, tools: 2 });
});

test("a call that needs more rights says which command asks for them, and then it works", async () => {
  await using bench = await openOAuthPlace();
  await bench.runWithBrowser("consent", "auth", "one");
  const refused = await bench.run("call", "one__write");
  expect(refused.exit).not.toBe(0);
  expect(JSON.stringify(refused.answer)).toContain("clawport auth one --scope");
  const { answer } = await bench.runWithBrowser("consent", "auth", "one", "--scope", "mcp:write");
  expect(String(answer["scope"]).split(" ").toSorted()).toEqual(["mcp:read", "mcp:write"]);
  expect(JSON.stringify((await bench.run("call", "one__write")).answer)).toContain("written");
});

test("a code on another device", async () => {
  await using bench = await openOAuthPlace();
  const { exit, out } = await bench.signInByDevice("auth", "one", "--device", "--json");
  expect(JSON.parse(out)).toMatchObject({ signedIn: true, tools: 2 });
  expect(exit).toBe(0);
  expect(bench.authority.grants.at(-1)).toBe("urn:ietf:params:oauth:grant-type:device_code");
});

test("a client that signs in as itself, with a secret", async () => {
  const clients = [
    {
      client_id: "robot",
      client_secret: "hush",
      redirect_uris: [],
      response_types: [],
      grant_types: ["client_credentials"],
      scope: "mcp:read",
    },
  ];
  const settings = ({ issuer }: AuthorizationServer) => ({
    auth: { clientId: "robot", clientSecret: "hush", grant: "client-credentials", authorizationServerUrl: issuer },
  });
  await using bench = await openOAuthPlace({ clients, settings });
  const { exit, answer } = await bench.run("call", "one__read");
  expect([exit, JSON.stringify(answer)]).toEqual([0, expect.stringContaining("read with mcp:read")]);
  expect(bench.authority.grants).toEqual(["client_credentials"]);
});

test("a client that signs in as itself, with a key", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...publicKey.export({ format: "jwk" }), alg: "ES256", use: "sig" };
  const clients = [
    {
      client_id: "robot",
      redirect_uris: [],
      response_types: [],
      grant_types: ["client_credentials"],
      scope: "mcp:read",
      token_endpoint_auth_method: "private_key_jwt",
      jwks: { keys: [jwk] },
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
