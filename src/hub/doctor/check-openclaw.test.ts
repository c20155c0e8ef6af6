import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { checkOpenClaw } from "./check-openclaw.ts";

let gateway: Server;
let port = 0;
let homedir = "";

beforeAll(async () => {
  gateway = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(gateway, "listening");
  ({ port } = gateway.address() as AddressInfo);
});
afterAll(() => gateway.close());
beforeEach(async () => {
  homedir = await mkdtemp(join(tmpdir(), "doctor-"));
});
afterEach(() => rm(homedir, { recursive: true, force: true }));

async function configure(text: string, folder = ".openclaw"): Promise<void> {
  await mkdir(join(homedir, folder), { recursive: true });
  await writeFile(join(homedir, folder, "openclaw.json"), text);
}

interface Setting {
  readonly config: string;
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
}

test.each<[string, () => Setting]>([
  ["its configured port", () => ({ config: `{ gateway: { port: ${port} } }` })],
  [
    "the home that OpenClaw was given",
    () => ({
      config: `{ gateway: { port: ${port} } }`,
      folder: "other/.openclaw",
      env: { OPENCLAW_HOME: join(homedir, "other") },
    }),
  ],
  [
    "the address of remote mode, whose secrets are not shown",
    () => ({
      config: `{ gateway: { port: 1, mode: "remote", remote: { url: "ws://me:secret@127.0.0.1:${port}/?token=secret" } } }`,
    }),
  ],
  [
    "the address that the environment names",
    () => ({ config: "{ gateway: { port: 1 } }", env: { OPENCLAW_GATEWAY_URL: `ws://127.0.0.1:${port}` } }),
  ],
])("the gateway is looked for where orders go: %s", async (_, setting) => {
  const { config, folder, env = {} } = setting();
  await configure(config, folder);
  expect(await checkOpenClaw({ env, homedir })).toEqual([
    { level: "ok", what: `OpenClaw's gateway is running at 127.0.0.1:${port}` },
  ]);
});

test("if none answers, the finding names its address, the setting it came from, and the next command", async () => {
  await configure("{ gateway: { port: 1 } }");
  const needed = "it is needed only for OpenClaw's agent";
  expect(await checkOpenClaw({ env: {}, homedir })).toEqual([
    { level: "info", what: `OpenClaw's gateway is not running at 127.0.0.1:1; ${needed}`, fix: "openclaw gateway" },
  ]);
  expect(await checkOpenClaw({ env: { OPENCLAW_GATEWAY_URL: "ws://[::1]:1" }, homedir })).toEqual([
    {
      level: "info",
      what: `OpenClaw's gateway is not running at [::1]:1 (set by OPENCLAW_GATEWAY_URL); ${needed}`,
      fix: "openclaw gateway health",
    },
  ]);
});

test("a machine without OpenClaw is told nothing about it", async () => {
  expect(await checkOpenClaw({ env: {}, homedir: join(homedir, "elsewhere") })).toEqual([]);
});

test("an unreadable configuration is a warning", async () => {
  await configure("{ gateway: ");
  const what = expect.stringContaining("Could not read OpenClaw's configuration") as string;
  expect(await checkOpenClaw({ env: {}, homedir })).toEqual([{ level: "warn", what, fix: "openclaw doctor" }]);
});

test.each([
  ["OPENCLAW_GATEWAY_URL", "http://127.0.0.1:1"],
  ["OPENCLAW_GATEWAY_PORT", "abc"],
])("an invalid variable is a warning with the command that sets it: %s", async (name, value) => {
  const what = expect.stringContaining(name) as string;
  expect(await checkOpenClaw({ env: { [name]: value }, homedir })).toEqual([
    { level: "warn", what, fix: `export ${name}=…` },
  ]);
});
