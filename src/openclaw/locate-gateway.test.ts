import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gatewayEndpoint, resolveGatewayAddress } from "./locate-gateway.ts";

let homedir = "";

beforeAll(async () => {
  homedir = await mkdtemp(join(tmpdir(), "locate-gateway-"));
});
afterAll(() => rm(homedir, { recursive: true, force: true }));

async function configured(config: string, env: Record<string, string> = {}) {
  const file = join(homedir, `${Math.random()}.json`);
  await writeFile(file, config);
  return resolveGatewayAddress({ env: { OPENCLAW_CONFIG_PATH: file, ...env }, homedir });
}

test("without settings it is the gateway on this machine, at its default port", async () => {
  expect(await resolveGatewayAddress({ env: {}, homedir })).toMatchObject({
    url: "ws://127.0.0.1:18789",
    token: undefined,
    stateFolder: join(homedir, ".openclaw"),
  });
});

test("address and token come from OpenClaw's configuration, which may hold comments and environment variables", async () => {
  const config = `{ /* mine */ gateway: { port: 19000, auth: { token: "\${GW_TOKEN}" } }, }`;
  expect(await configured(config, { GW_TOKEN: "secret" })).toMatchObject({
    url: "ws://127.0.0.1:19000",
    token: "secret",
  });
  const reference = `{ gateway: { auth: { password: { source: "env", id: "GW_PASSWORD" } } } }`;
  expect(await configured(reference, { GW_PASSWORD: "p" })).toMatchObject({ password: "p" });
});

test("the environment's port wins, its token is used only if the configuration has none", async () => {
  const env = { OPENCLAW_GATEWAY_PORT: "19001", OPENCLAW_GATEWAY_TOKEN: "from-env" };
  expect(await configured("{}", env)).toMatchObject({ url: "ws://127.0.0.1:19001", token: "from-env" });
  expect(await configured(`{ gateway: { auth: { token: "own" } } }`, env)).toMatchObject({ token: "own" });
});

test("an address without a port has the default port of its scheme", async () => {
  const env = (port: string) => ({ OPENCLAW_GATEWAY_PORT: port });
  const tls = "{ gateway: { tls: { enabled: true } } }";
  expect(gatewayEndpoint(await configured("{}", env("80")))).toEqual({
    host: "127.0.0.1",
    port: 80,
    name: "127.0.0.1:80",
  });
  expect(gatewayEndpoint(await configured(tls, env("443")))).toMatchObject({ host: "127.0.0.1", port: 443 });
  expect(gatewayEndpoint(await configured(tls, env("80")))).toMatchObject({ port: 80 });
  const six = await resolveGatewayAddress({ env: { OPENCLAW_GATEWAY_URL: "ws://me:secret@[::1]:1" }, homedir });
  expect(gatewayEndpoint(six)).toEqual({ host: "::1", port: 1, name: "[::1]:1" });
});

test("in remote mode the remote address and credentials are used, and there is no state folder", async () => {
  const config = `{ gateway: { mode: "remote", remote: { url: "wss://gw.example", token: "r" }, auth: { token: "l" } } }`;
  expect(await configured(config)).toMatchObject({ url: "wss://gw.example", token: "r" });
  expect((await configured(config)).stateFolder).toBeUndefined();
});

test("an address from the environment or a flag is never sent the configuration's credentials", async () => {
  const config = `{ gateway: { auth: { token: "local-secret" } } }`;
  const named = await configured(config, { OPENCLAW_GATEWAY_URL: "ws://elsewhere:1" });
  expect(named).toMatchObject({ url: "ws://elsewhere:1", token: undefined });
  const flags = { gateway: "ws://other:2" };
  const env = { OPENCLAW_GATEWAY_TOKEN: "env-secret" };
  expect(await resolveGatewayAddress({ flags, env, homedir })).toMatchObject({ url: "ws://other:2", token: undefined });
});

test("an invalid address and an unreadable configuration are reported with the setting or file", async () => {
  await expect(resolveGatewayAddress({ flags: { gateway: "http://x" }, env: {}, homedir })).rejects.toThrow(
    /ws:\/\/.*--gateway/,
  );
  await expect(configured("{ gateway: ")).rejects.toThrow(/^Could not read OpenClaw's configuration .*\.json: /);
});

test.each(["abc", "0", "65536", "1.5", "1@elsewhere.example:80"])(
  "an invalid port is reported with the variable it came from: %s",
  async (port) => {
    await expect(configured("{}", { OPENCLAW_GATEWAY_PORT: port })).rejects.toMatchObject({
      code: "config",
      message: "OPENCLAW_GATEWAY_PORT must be a port from 1 to 65535.",
      detail: { variable: "OPENCLAW_GATEWAY_PORT" },
    });
  },
);

test("an invalid port is reported with the file it came from", async () => {
  await expect(configured("{ gateway: { port: 99999 } }")).rejects.toThrow(
    /^gateway\.port in .*\.json must be a port from 1 to 65535\.$/,
  );
});

test("the address says which settings it came from", async () => {
  expect((await configured("{}")).from).toMatch(/^\S+\.json$/);
  expect((await configured("{}", { OPENCLAW_GATEWAY_PORT: "1" })).from).toMatch(
    /^OPENCLAW_GATEWAY_PORT and \S+\.json$/,
  );
});
