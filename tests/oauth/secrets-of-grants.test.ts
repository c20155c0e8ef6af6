import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openCredentialStore } from "../../src/sources/servers/oauth/store/open-credential-store.ts";
import { startHub } from "../support/cli/run-clawport.ts";
import { type ConfiguredPlace, placeWith } from "../support/cli/test-home.ts";
import { createVisitor } from "../support/oauth/consent.ts";
import { filesUnder, findSecrets } from "../support/find-secrets.ts";
import { visit } from "./fixtures/open-auth.ts";
import { startRogueIssuer, type Seen } from "./fixtures/rogue-issuer.ts";
import { listenIn } from "./listen-in.ts";
import { openOAuthPlace } from "./open-oauth-place.ts";
import { storeOptions } from "./store-options.ts";

// Hubs are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 90_000 });

const keptIn = ({ home, env }: ConfiguredPlace) => openCredentialStore(storeOptions(home, env)).list();

const robot = { redirect_uris: [], response_types: [], grant_types: ["client_credentials"], scope: "mcp:read" };

test("nothing that is said or written holds a device code, a client's key or secret, or the key of DPoP proofs", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...publicKey.export({ format: "jwk" }), alg: "ES256", use: "sig" };
  const secret = "the-secret-of-a-client-that-speaks-for-itself";
  const clients = [
    { ...robot, client_id: "keyed", token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [jwk] } },
    { ...robot, client_id: "secretive", client_secret: secret },
  ];
  await using bench = await openOAuthPlace({ clients });
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  // Outside of what is looked through: there it may stand.
  await using keys = await placeWith({});
  const privateKeyFile = join(keys.folder, "robot.pem");
  await writeFile(privateKeyFile, pem, { mode: 0o600 });
  const { url } = bench.server;
  const grant = "client-credentials";
  bench.place.env["CLIENT_SECRET"] = secret;
  await bench.place.configure({
    device: { url, auth: { grant: "device-code", dpop: "always" } },
    keyed: { url, auth: { grant, clientId: "keyed", privateKeyFile } },
    secretive: {
      url,
      auth: {
        grant,
        clientId: "secretive",
        clientSecret: "$CLIENT_SECRET",
        authorizationServerUrl: bench.authority.issuer,
      },
    },
  });
  const { said, run } = listenIn(bench.place);
  const { out, err } = await bench.signInByDevice("auth", "device", "-v");
  said["device"] = `${out}\n${err}`;
  const proofKeys = (await keptIn(bench.place)).flatMap(
    ({ dpopKey }) => (dpopKey as { d?: string } | undefined)?.d ?? [],
  );
  for (const name of ["device", "keyed", "secretive"]) {
    await run("call", `${name}__read`, "--json");
    await run("call", `${name}__write`);
    await run("status", name, "--json");
  }
  for (const words of [["servers"], ["auth", "--list", "--json"], ["doctor", "--json"], ["audit"]]) await run(...words);
  for (const name of ["device", "keyed", "secretive"]) await run("auth", name, "--logout", "--json");

  expect(bench.authority.grants).toEqual(
    expect.arrayContaining(["client_credentials", expect.stringContaining("device")]),
  );
  const pemLines = pem.split("\n").filter((line) => line.length > 20 && !line.startsWith("-"));
  const secrets = [...bench.authority.secrets, ...proofKeys, ...pemLines, secret];
  expect([proofKeys.length, pemLines.length > 0, bench.authority.secrets.size > 4]).toEqual([1, true, true]);
  expect(findSecrets({ ...said, ...(await filesUnder(bench.place.folder)) }, secrets)).toEqual([]);
});

test("nothing that is said or written holds what an authorization server repeats of what it was sent", async () => {
  const echo = ({ params, authorization }: Seen) => ({
    error: "invalid_grant",
    error_description: `you sent ${[...params].map(([name, value]) => `${name}=${value}`).join(" ")} ${authorization}`,
  });
  await using rogue = await startRogueIssuer({ refuseWith: echo });
  const assertion = "the-token-that-the-platform-gave-the-workload";
  const secret = "the-secret-of-a-client-that-speaks-for-itself";
  await using keys = await placeWith({});
  const assertionFile = join(keys.folder, "workload.jwt");
  await writeFile(assertionFile, assertion, { mode: 0o600 });
  const common = { clientId: "robot", authorizationServerUrl: rogue.origin };
  const url = rogue.url.href;
  await using place = await placeWith({
    person: { url },
    workload: { url, auth: { ...common, grant: "workload", assertionFile } },
    robot: { url, auth: { ...common, grant: "client-credentials", clientSecret: "$CLIENT_SECRET" } },
  });
  place.env["CLIENT_SECRET"] = secret;
  const { said, run, startTalkingHub } = listenIn(place);
  const signIn = async () => {
    const { url: address } = JSON.parse(await run("auth", "person", "--no-browser", "--json")) as { url: string };
    return (await visit(new URL(address))).toString();
  };
  {
    await using _ = await startTalkingHub();
    await run("auth", "person", "--code", `?${await signIn()}`, "--json");
    for (const name of ["workload", "robot"]) {
      await run("auth", name);
      await run("auth", name, "--json");
      await run("refresh", name, "--json");
      await run("status", name, "--json");
    }
    delete rogue.settings.refuseWith;
    await run("auth", "person", "--code", `?${await signIn()}`);
    rogue.settings.refuseWith = echo;
    rogue.expireAll();
    await run("call", "person__read", "--json");
    await run("servers", "--json");
    await run("audit");
  }
  const fields = ["code", "code_verifier", "refresh_token", "assertion"];
  const sent = rogue.seen.flatMap(({ path, params }) =>
    path === "/token" ? fields.flatMap((name) => params.get(name) ?? []) : [],
  );
  expect(sent.length).toBeGreaterThan(5);
  expect(Object.values(said).join("")).toContain("invalid_grant");
  const secrets = [...new Set([...sent, assertion, secret])];
  expect(findSecrets({ ...said, ...(await filesUnder(place.folder)) }, secrets)).toEqual([]);
});

test("a hub that crashes writes no token, neither to its last words nor to a report of Node", async () => {
  await using bench = await openOAuthPlace();
  const crash = join(import.meta.dirname, "fixtures", "crash-on-signal.ts");
  const NODE_OPTIONS = `--import=${crash} --report-uncaught-exception --report-exclude-env --report-directory=${bench.place.folder}`;
  await using hub = await startHub({ ...bench.place, env: { ...bench.place.env, NODE_OPTIONS } }, "--port", "0", "-v");
  let last = "";
  hub.child.stderr.on("data", (chunk) => (last += String(chunk)));
  const { answer } = await bench.run("auth", "one", "--no-browser");
  const left = await createVisitor().consent(String(answer["url"]));
  await bench.run("auth", "one", "--code", left.href);
  expect((await bench.run("call", "one__read")).exit).toBe(0);
  const verifiers = await bench.run("auth", "one", "--no-browser").then(() => keptIn(bench.place));
  const pending = verifiers.flatMap((kept) => Object.values(kept.pending ?? {}).map(({ verifier }) => verifier));
  hub.child.kill("SIGUSR2");
  expect(await hub.ended).not.toBe(0);
  const written = await filesUnder(bench.place.folder);
  expect(last).toContain("a planted crash");
  expect(Object.keys(written).filter((file) => /report\..*\.json$/.test(file))).toHaveLength(1);
  expect([pending.length, bench.authority.secrets.size > 3]).toEqual([1, true]);
  expect(findSecrets({ last, ...written }, [...bench.authority.secrets, ...pending])).toEqual([]);
});
