import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { startHub } from "../support/cli/run-clawport.ts";
import { placeWith, runHere } from "../support/cli/test-home.ts";

// Browsers, hubs and keyrings are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

const one = { url: "https://mcp.example.invalid/mcp" };
const tokenFile = `${"0".repeat(64)}.json`;

async function findings(place: Awaited<ReturnType<typeof placeWith>>, env: NodeJS.ProcessEnv = {}) {
  const { out } = await runHere({ ...place, env: { ...place.env, ...env } }, ["doctor", "--json"]);
  const all = (JSON.parse(out) as { findings: { check: string; level: string; what: string; fix?: string }[] })
    .findings;
  return all.filter(({ check }) => check === "sign-ins");
}

test("the doctor says what seals the sign-ins, and why it is not the keychain", async () => {
  await using place = await placeWith({ one });
  expect(await findings(place)).toMatchObject([
    { level: "info", what: expect.stringMatching(/a key file, .*no D-Bus/) },
  ]);
  const env = { CLAWPORT_TOKENS_PASSPHRASE: "correct horse" };
  expect(await findings(place, env)).toMatchObject([{ level: "ok", what: expect.stringContaining("passphrase") }]);
});

test("where no server could ask for a sign-in the doctor says nothing of it", async () => {
  await using place = await placeWith({ two: { command: "node" } });
  expect(await findings(place)).toEqual([]);
});

test("the doctor names key files that others can read, and sign-ins that were set aside", async () => {
  await using place = await placeWith({ one });
  await mkdir(join(place.home, "tokens"), { mode: 0o700 });
  await writeFile(join(place.home, "tokens", "key"), "x", { mode: 0o644 });
  await writeFile(join(place.home, "tokens", `${tokenFile}.damaged-20260101T000000000Z`), "x");
  expect(await findings(place)).toMatchObject([
    { level: "info" },
    {
      level: "fail",
      what: expect.stringContaining("other users can reach"),
      fix: expect.stringContaining("chmod 600"),
    },
    { level: "warn", what: expect.stringContaining("set aside") },
  ]);
});

test("a client document must be hosted, unless the hub has a public address and serves it", async () => {
  const address = "https://hub.example.com/oauth/client.json";
  const servers = { one: { ...one, auth: { clientMetadataUrl: address } } };
  await using place = await placeWith(servers);
  expect(await findings(place)).toMatchObject([{}, { level: "info", what: expect.stringContaining("must be hosted") }]);
  const config = { hub: { publicUrl: "https://hub.example.com" }, servers };
  await writeFile(join(place.home, "clawport.json5"), JSON.stringify(config));
  expect(await findings(place)).toMatchObject([{}, { level: "ok", what: expect.stringContaining("the hub serves") }]);
  const elsewhere = { one: { ...one, auth: { clientMetadataUrl: "https://hub.example.com/other.json" } } };
  await writeFile(join(place.home, "clawport.json5"), JSON.stringify({ ...config, servers: elsewhere }));
  expect(await findings(place)).toMatchObject([
    {},
    {
      level: "info",
      what: expect.stringMatching(/other\.json, which must be hosted: the hub serves .*client\.json/),
    },
  ]);
  const { out } = await runHere(place, ["auth", "client-document"]);
  expect(JSON.parse(out)).toMatchObject({
    client_id: address,
    redirect_uris: ["http://127.0.0.1/callback", expect.any(String)],
  });
});

test("a hub with a public address gives the document to anybody, and nothing else", async () => {
  await using place = await placeWith({});
  const config = { hub: { publicUrl: "https://hub.example.com" } };
  await writeFile(join(place.home, "clawport.json5"), JSON.stringify(config));
  await using hub = await startHub(place, "--port", "0");
  const base = new URL(hub.ready.url).origin;
  const response = await fetch(`${base}/oauth/client.json`);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ client_id: "https://hub.example.com/oauth/client.json" });
  const others = ["/", "/mcp", "/oauth/", "/oauth/client.json/x", "/metrics"];
  const statuses = await Promise.all(others.map(async (path) => (await fetch(`${base}${path}`)).status));
  expect(statuses).toEqual(others.map(() => 401));
});
