import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { commandTable } from "../../src/cli/command-table.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import { memoryWorld } from "../support/cli/memory-world.ts";
import { clawport, makePlace, startHub } from "../support/cli/run-clawport.ts";
import { bearer, createProxyClient, registration } from "../support/apps/proxy-client.ts";
import { startProxyProcess } from "./proxy-process.ts";
import { openApp } from "../support/apps/test-app.ts";

vi.setConfig({ testTimeout: 60_000 });

test("clawport proxy reads .env, serves, and on Ctrl-C closes its bridges with a request to reconnect", async () => {
  await using place = await makePlace();
  await writeFile(
    join(place.folder, ".env"),
    "OPENCLAW_PROXY_APP_TOKEN=from-file\nOPENCLAW_PROXY_OPENCLAW_TOKEN=other\nOPENCLAW_PROXY_SESSION_TTL_SECONDS=77\n",
  );
  await using running = await startProxyProcess(place, "--port", "0");
  const proxy = createProxyClient(running.ready.address, { OPENCLAW_PROXY_APP_TOKEN: "from-file" });
  expect((await proxy.ask("POST", "/v1/chat/sessions", registration)).status).toBe(401);
  const session = await proxy.create();
  const { body } = await proxy.ask("GET", "/v1/chat/sessions", undefined, bearer("from-file"));
  const { sessions } = body as { sessions: { created_at: string; expires_at: string }[] };
  expect(sessions.map((each) => Date.parse(each.expires_at) - Date.parse(each.created_at))).toEqual([77_000]);
  const app = await openApp(session.bridge_url, { headers: bearer("from-file") });
  running.child.kill("SIGINT");
  expect(await app.closed).toEqual({ code: 1012, reason: "proxy is restarting" });
  expect(await running.ended).toBe(0);
});

const bothTokens = ["OPENCLAW_PROXY_APP_TOKEN", "OPENCLAW_PROXY_OPENCLAW_TOKEN"] as const;

test("on this machine each empty token causes a warning that names it", async () => {
  await using place = await makePlace();
  const said: string[] = [];
  await using _ = await startProxyProcess({ ...place, said }, "--port", "0");
  for (const name of bothTokens) await expect.poll(() => said.join("")).toContain(`${name} is empty`);
});

test("with -q there are no warnings", async () => {
  await using place = await makePlace();
  const world = memoryWorld({ env: place.env, cwd: place.folder });
  const ended = runCli(["proxy", "--home", place.home, "--port", "0", "--json", "-q"], world, commandTable);
  await expect.poll(() => world.out()).toContain('"address"');
  world.stop();
  expect([await ended, world.err()]).toEqual([0, ""]);
});

test("for 0.0.0.0 the output has an address to connect to, and says what other machines need", async () => {
  await using place = await makePlace();
  const env = { ...place.env, ...Object.fromEntries(bothTokens.map((name) => [name, "secret"])) };
  const world = memoryWorld({ env, cwd: place.folder });
  const argv = ["proxy", "--home", place.home, "--host", "0.0.0.0", "--port", "0"];
  const ended = runCli(argv, world, commandTable);
  await expect.poll(() => world.out()).toContain("--public-url or --allow-host");
  expect(world.out()).toMatch(/^The app proxy is at http:\/\/127\.0\.0\.1:\d+\. /);
  world.stop();
  expect(await ended).toBe(0);
});

test("the proxy does not start for other machines without both tokens", async () => {
  await using place = await makePlace();
  const bare = await clawport(place, "proxy", "--host", "0.0.0.0", "--port", "0");
  expect(bare.exit).toBe(78);
  expect(bare.err).toContain("OPENCLAW_PROXY_APP_TOKEN and OPENCLAW_PROXY_OPENCLAW_TOKEN are empty");
});

test.each(bothTokens)("the proxy does not start for other machines if only %s is empty", async (name) => {
  await using place = await makePlace();
  const env = { ...place.env, ...Object.fromEntries(bothTokens.map((each) => [each, each === name ? "" : "secret"])) };
  const { exit, err } = await clawport({ ...place, env }, "proxy", "--host", "0.0.0.0", "--port", "0");
  expect([exit, err]).toEqual([78, expect.stringContaining(`machines, but ${name} is empty. Set it`)]);
});

test.each([
  ["proxy", "--port", "70000", "from 0 to 65535"],
  ["up", "--port", "70000", "from 0 to 65535"],
  ["serve", "--port", "70000", "from 0 to 65535"],
  ["proxy", "--heartbeat", "0", "from 1 to 3600"],
  ["proxy", "--heartbeat", "9999999", "from 1 to 3600"],
  ["proxy", "--requests-per-second", "0", "from 1 to"],
  ["proxy", "--token-requests-per-second", "0", "from 1 to"],
  ["proxy", "--sessions-per-second", "0", "from 1 to"],
  ["proxy", "--most-held", "0", "from 1 to"],
  ["proxy", "--allow-origin", "x.example", "like https://app.example.com"],
  ["proxy", "--allow-origin", "https://x.example/page", "like https://app.example.com"],
  ["proxy", "--allow-origin", "wss://x.example", "like https://app.example.com"],
  ["proxy", "--allow-origin", "null", "like https://app.example.com"],
  ["proxy", "--allow-host", "https://x.example", "like tools.example.com"],
  ["proxy", "--public-url", "x.example", "like https://tools.example.com"],
])("clawport %s %s %s is wrong usage", async (command, option, value, hint) => {
  const world = memoryWorld();
  expect(await runCli([command, option, value], world, commandTable)).toBe(2);
  expect(world.err()).toMatch(RegExp(`${option} .*${hint}.*, not "${value}"`));
});

test("allowed origins are compared as browsers write them, however they were typed", async () => {
  await using place = await makePlace();
  const allowed = ["--allow-origin", "https://X.example:443/", "--allow-origin", "chrome-extension://abc"];
  await using running = await startProxyProcess(place, "--port", "0", ...allowed);
  const { ask } = createProxyClient(running.ready.address, {});
  const statusFor = async (origin: string) => (await ask("GET", "/v1/chat/sessions", undefined, { origin })).status;
  expect(
    await Promise.all(["https://x.example", "chrome-extension://abc", "https://y.example"].map(statusFor)),
  ).toEqual([200, 200, 403]);
});

test("clawport proxy reports that a hub already serves the apps, and does not advise to stop it", async () => {
  await using place = await makePlace();
  await writeFile(join(place.folder, "clawport.json5"), "{ apps: { serve: true, port: 0 } }");
  await using hub = await startHub(place, "--port", "0", "--trust");
  const { exit, err } = await clawport(place, "proxy", "--port", "0", "-q");
  expect([exit, err]).toEqual([
    1,
    expect.stringContaining(`The hub (process ${hub.ready.pid}) already serves the apps`),
  ]);
  expect(err).not.toContain("kill");
});

test("a hub that is to serve apps reports that a clawport proxy already has the sessions", async () => {
  await using place = await makePlace();
  await using proxy = await startProxyProcess(place, "--port", "0");
  await writeFile(join(place.folder, "clawport.json5"), "{ apps: { serve: true, port: 0 } }");
  const { exit, err } = await clawport(place, "up", "--port", "0", "--trust", "-q");
  const what = `Another proxy (process ${proxy.child.pid}) holds the sessions of this state folder. Stop it with \`kill ${proxy.child.pid}\``;
  expect([exit, err]).toEqual([1, expect.stringContaining(`${what}, or set apps.serve to false.`)]);
});
