import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { Fault } from "../src/core/fault.ts";
import { withFileLock } from "../src/core/files/file-lock.ts";

const cacheFolder = path.resolve(import.meta.dirname, "..", ".cache");
const patienceMs = 240_000;

/**
 * Installs a package that tests need but the project must not depend on, under `.cache/<folder>/<version>`, once.
 * Returns the folder of the package itself.
 */
export async function installPackage(name: string, version: string, folder: string): Promise<string> {
  const home = path.join(cacheFolder, folder, version);
  const installed = path.join(home, "node_modules", ...name.split("/"));
  const complete = path.join(home, ".complete");
  if (existsSync(complete)) return installed;

  await mkdir(path.dirname(home), { recursive: true });
  // Two test files may need the same package at the same time.
  return withFileLock(`${home}.lock`, { waitMs: patienceMs }, async () => {
    if (existsSync(complete)) return installed;
    await rm(home, { recursive: true, force: true });
    await mkdir(home, { recursive: true });
    await writeFile(path.join(home, "package.json"), '{ "private": true }\n');
    console.error(`Installing ${name}@${version} (once; kept in .cache) …`);
    await runNpm(["install", "--prefix", home, "--ignore-scripts", "--no-audit", "--no-fund", `${name}@${version}`]);
    await writeFile(complete, "");
    return installed;
  });
}

async function runNpm(args: readonly string[]): Promise<void> {
  // An older system's npm must run on our Node, or it refuses packages because of their engine.
  const PATH = [path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  const npm = spawn("npm", args, {
    env: { ...process.env, PATH },
    stdio: ["ignore", "ignore", "inherit"],
    timeout: patienceMs,
  });
  const [code] = await once(npm, "exit");
  if (code !== 0) throw new Fault("unavailable", `«npm ${args.join(" ")}» failed. Check the network and try again.`);
}
