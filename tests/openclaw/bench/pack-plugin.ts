import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..", "..", "..");
const packed = [
  "src",
  "data",
  "console",
  "scripts",
  "package.json",
  "openclaw-plugin",
  "tsconfig.json",
  "tsconfig.build.json",
  "README.md",
  "LICENSE",
  "CHANGELOG.md",
];

/** Builds and packs the plugin as it is published, in a folder of its own; gives the tarball. */
export async function packPlugin(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "clawport-pack-"));
  const source = join(folder, "package");
  await mkdir(source);
  await Promise.all(packed.map((name) => cp(join(root, name), join(source, name), { recursive: true })));
  await symlink(join(root, "node_modules"), join(source, "node_modules"));
  await run(process.execPath, ["scripts/build.ts"], { cwd: source });
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], {
    cwd: join(source, "dist", "openclaw-plugin"),
  });
  return join(folder, stdout.trim());
}

/** What a program needs to reach the registry from behind a proxy of this machine, with the packages at hand. */
export async function registryEnv(): Promise<Record<string, string>> {
  const names = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"];
  const { stdout } = await run("npm", ["config", "get", "cache"]);
  const given = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]] as const]));
  return { ...Object.fromEntries(given), npm_config_cache: stdout.trim(), npm_config_prefer_offline: "true" };
}

/** `openclaw plugins install` of the tarball, into the home that `env` names. */
export async function installPlugin(program: string, tarball: string, env: Record<string, string>): Promise<void> {
  const args = ["plugins", "install", `npm-pack:${tarball}`, "--force", "--accept-capabilities"];
  await run(process.execPath, [program, ...args], { env: { ...env, ...(await registryEnv()) }, timeout: 600_000 });
}
