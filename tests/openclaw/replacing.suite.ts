import { execFile } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { openChat } from "./bench/gateway-chat.ts";
import { openBench } from "./bench/open-bench.ts";
import { installPlugin, packPlugin } from "./bench/pack-plugin.ts";
import { startWebServer } from "./bench/web-server.ts";

vi.setConfig({ testTimeout: 900_000 });

const run = promisify(execFile);
const patiently = { timeout: 120_000, interval: 500 };

/** The plugin as earlier builds packed it: in a package called `clawport`, of an earlier version. */
async function packEarlier(tarball: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earlier-plugin-"));
  await run("tar", ["-xzf", tarball, "-C", folder]);
  const path = join(folder, "package", "package.json");
  const manifest = JSON.parse(await readFile(path, "utf8")) as object;
  await writeFile(path, JSON.stringify({ ...manifest, name: "clawport", version: "0.0.9" }));
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const { stdout } = await run("npm", pack, { cwd: join(folder, "package") });
  return join(folder, stdout.trim());
}

test("a plugin that was installed as `clawport` is replaced by installing the other one, and its servers stay", async () => {
  await using web = await startWebServer();
  const tarball = await packPlugin();
  const earlier = await packEarlier(tarball);
  const seen: string[] = [];
  await using bench = await openBench({
    config: { plugins: { allow: ["mcp-client"], slots: { memory: "none" } } },
    async prepare(program, env) {
      await installPlugin(program, earlier, env);
      seen.push(await installedPackage(program, env));
      await configure(env, { servers: { web: { url: web.url } } });
      await installPlugin(program, tarball, env);
      seen.push(await installedPackage(program, env));
    },
  });
  expect(seen).toEqual(["clawport 0.0.9", "clawport-openclaw 0.1.0"]);
  await using chat = await openChat(bench.url, bench.token);
  await expect.poll(() => chat.say("/mcp servers").catch(String), patiently).toMatch(/web[\s\S]*Status: Connected/);
});

/** The package that OpenClaw has the plugin from. */
async function installedPackage(program: string, env: Record<string, string>): Promise<string> {
  const { stdout } = await run(process.execPath, [program, "plugins", "inspect", "mcp-client", "--json"], { env });
  const { plugin } = JSON.parse(stdout) as { plugin: { packageName: string; packageVersion: string } };
  return `${plugin.packageName} ${plugin.packageVersion}`;
}

async function configure(env: Record<string, string>, own: object): Promise<void> {
  const path = env["OPENCLAW_CONFIG_PATH"] ?? "";
  const config = JSON.parse(await readFile(path, "utf8")) as { plugins: { entries?: Record<string, unknown> } };
  const entries = { ...config.plugins.entries, "mcp-client": { enabled: true, config: own } };
  await writeFile(path, JSON.stringify({ ...config, plugins: { ...config.plugins, entries } }));
}
