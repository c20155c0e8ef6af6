import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withFileLock } from "../../src/core/files/file-lock.ts";
import { type DebianPackage, debianPackages } from "./debian-packages.ts";
import { areSkipsAllowed } from "./skips-allowed.ts";

/**
 * The path of a program that a test needs. On Debian as root it is installed first. If it is missing, prints a line that
 * names the package and returns undefined, so that the test can be skipped, or throws if no test may be skipped.
 */
export async function requireDebianPackage(name: DebianPackage): Promise<string | undefined> {
  return (await requireDebianPackages([name])) ? debianPackages[name] : undefined;
}

/** The same for several packages, which are installed together. Whether all are there. */
export async function requireDebianPackages(names: readonly DebianPackage[]): Promise<boolean> {
  if (missingOf(names).length > 0 && canInstall()) await install(names);
  const missing = missingOf(names);
  for (const name of missing) complain(name);
  return missing.length === 0;
}

export function missingOf(names: readonly DebianPackage[]): readonly DebianPackage[] {
  return names.filter((name) => !existsSync(debianPackages[name]));
}

/** Whether packages may be installed here: on Debian, as root, unless `TEST_INSTALL=off` says no. */
export function canInstall(): boolean {
  if (process.env["TEST_INSTALL"] === "off") return false;
  return process.getuid?.() === 0 && existsSync("/usr/bin/apt-get") && isDebian();
}

export async function install(names: readonly DebianPackage[]): Promise<void> {
  // Test files run in parallel, and two of them may need the same package.
  const lock = join(tmpdir(), "clawport-test-packages.lock");
  await withFileLock(lock, { waitMs: 600_000 }, async () => {
    const missing = missingOf(names);
    if (missing.length === 0) return;
    process.stderr.write(`Installing Debian packages for the tests: ${missing.join(" ")} …\n`);
    await run("apt-get", ["update", "-qq"]);
    const options = ["-y", "-qq", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"];
    await run("apt-get", ["install", ...options, ...missing]);
  });
}

function complain(name: DebianPackage): void {
  const line = `Some tests need the Debian package ${name} (${debianPackages[name]}). Run \`apt-get install ${name}\` to install it.`;
  if (!areSkipsAllowed()) throw new Error(line);
  process.stderr.write(`${line}\n`);
}

function isDebian(): boolean {
  if (!existsSync("/etc/os-release")) return false;
  return /^ID(?:_LIKE)?=.*debian/m.test(readFileSync("/etc/os-release", "utf8"));
}

/** All output goes to stderr: stdout is for the test report. */
async function run(command: string, args: readonly string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const child = spawn(command, args, { env, stdio: ["ignore", 2, 2] });
  const [code] = await once(child, "exit");
  if (code !== 0) process.stderr.write(`${command} ${args.join(" ")} ended with ${String(code)}\n`);
}
