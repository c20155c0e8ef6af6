import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { installPackage } from "../../conformance/install-package.ts";
import { placeWith } from "../support/cli/test-home.ts";
import { clawport, listTools, startHub, startReady } from "../support/cli/run-clawport.ts";
import { runProgram } from "../support/cli/run-shell.ts";
import { oldestNode, packCheckout, runNpm } from "./pack.ts";

vi.setConfig({ testTimeout: 120_000 });

const { platform, arch } = process;
const binary = platform === "win32" ? "bin/node.exe" : "bin/node";
const oldest = join(
  await installPackage(`node-${platform === "win32" ? "win" : platform}-${arch}`, oldestNode, "node-oldest"),
  binary,
);
const server = join(import.meta.dirname, "fixtures/hello-server.mjs");

let folder: string;
let pluginFolder: string;
let main: string;

beforeAll(async () => {
  await using tarball = await packCheckout();
  folder = await mkdtemp(join(tmpdir(), "installed-"));
  pluginFolder = join(folder, "plugin");
  await installInto(folder, tarball.path);
  await installInto(pluginFolder, tarball.plugin);
  main = join(folder, "node_modules", "clawport", "dist", "cli", "main.js");
}, 600_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function installInto(place: string, tarball: string): Promise<void> {
  await mkdir(place, { recursive: true });
  await writeFile(join(place, "package.json"), '{ "private": true, "type": "module" }\n');
  await runNpm(["install", tarball], place);
}

test("the oldest Node that package.json promises is the one these tests run on", () => {
  expect(execFileSync(oldest, ["--version"], { encoding: "utf8" }).trim()).toBe(`v${oldestNode}`);
});

test("the package has declarations of what it exports only, and no source", async () => {
  const files = await readdir(join(folder, "node_modules", "clawport"), { recursive: true });
  const declared = files.filter((path) => path.endsWith(".d.ts"));
  const folders = new Set(declared.map((path) => path.split(sep)[1]));
  expect(folders).toEqual(new Set(["app", "catalog", "core", "mcp"]));
  expect(declared.length).toBeLessThan(120);
  expect(files.filter((path) => /\.(?:[mt]s|map)$/.test(path) && !path.endsWith(".d.ts"))).toEqual([]);
});

test("the plugin is small: OpenClaw copies it, with all its dependencies, at every change of its configuration", async () => {
  const modules = join(pluginFolder, "node_modules");
  const scopes = (await readdir(modules)).filter((name) => !name.startsWith("."));
  // The keychain's library is native code, and optional.
  expect(scopes.filter((name) => name !== "@napi-rs")).toEqual(["clawport-openclaw"]);
  const files = await readdir(modules, { recursive: true, withFileTypes: true });
  expect(files.filter((entry) => entry.isFile()).length).toBeLessThan(40);
});

describe.each([
  { name: oldestNode, node: oldest },
  { name: process.versions.node, node: process.execPath },
])("the package, installed from its tarball, on Node $name", ({ node }) => {
  const makeInstalled = async () => {
    const place = await placeWith({ hello: { command: process.execPath, args: [server] } });
    return { ...place, node, main };
  };

  test("starts a hub, lists its servers, calls a tool and serves the console", async () => {
    await using place = await makeInstalled();
    await using hub = await startHub(place, "--port", "0");
    const servers = await clawport(place, "servers");
    expect(servers).toMatchObject({ exit: 0, out: expect.stringContaining("hello") });
    expect(await clawport(place, "call", "hello__greet", "name=Ann")).toMatchObject({ exit: 0, out: "Hello, Ann.\n" });
    const printed = await clawport(place, "console", "--print");
    expect(printed.out).toContain(`http://127.0.0.1:${hub.ready.port}/console/`);
    const page = await fetch(printed.out.trim());
    expect({ status: page.status, text: await page.text() }).toMatchObject({
      status: 200,
      text: expect.stringContaining("<script"),
    });
  });

  test("calls a tool without a hub", async () => {
    await using place = await makeInstalled();
    expect(await clawport(place, "call", "hello__greet", "name=Bo")).toMatchObject({ exit: 0, out: "Hello, Bo.\n" });
  });

  test("serves orders and all tools over stdio", async () => {
    await using place = await makeInstalled();
    const input = `${[
      { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/list" },
    ]
      .map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }))
      .join("\n")}\n`;
    for (const [command, tool] of [
      ["mcp-server", "order_openclaw"],
      ["serve --stdio", "hello__greet"],
    ] as const) {
      const { out } = await runProgram(node, [main, ...command.split(" ")], {
        env: place.env,
        cwd: place.folder,
        input,
      });
      expect(out).toContain(`"name":"${tool}"`);
    }
  });

  test("offers the tools of this computer", async () => {
    await using place = await makeInstalled();
    await using machine = await startReady<{ url: string; tokenPath: string }>(place, "node", "--json", "--port", "0");
    const { out: token } = await clawport(place, "token", "show");
    expect(await listTools(machine.ready.url, token.trim())).toBe(200);
  });

  test("registers as a plugin of OpenClaw, and starts and stops its service", async () => {
    await using place = await makeInstalled();
    const script = join(import.meta.dirname, "fixtures/register-plugin.mjs");
    const entry = join(pluginFolder, "node_modules", "clawport-openclaw", "dist", "plugin", "index.js");
    const { exit, out, err } = await runProgram(node, [script, entry, server], { env: place.env, cwd: place.folder });
    expect({ exit, out, err }).toMatchObject({ exit: 0, out: "registered, started, stopped\n" });
  });

  test("has modules that can be imported", async () => {
    const script =
      "const all = await Promise.all(['mcp', 'catalog', 'app'].map((name) => import(`clawport/${name}`)));" +
      "console.log(all.map((each) => Object.keys(each).length > 0).join());";
    const { out } = await runProgram(node, ["--input-type=module", "-e", script], { cwd: folder });
    expect(out).toBe("true,true,true\n");
  });
});

const clientInfo = { name: "test", version: "1" };
