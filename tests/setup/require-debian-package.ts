import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withFileLock } from "../../src/core/files/file-lock.ts";
import { areSkipsAllowed } from "./skips-allowed.ts";

/**
 * The path of a program that a test needs. On Debian as root it is installed first. If it is missing, prints a line that
 * names the package and returns undefined, so that the test can be skipped, or throws if no test may be skipped.
 */
export async function requireDebianPackage(name: string, program: string): Promise<string | undefined> {
  return (await requireDebianPackages({ [name]: program })) ? program : undefined;
}

/** The same for several packages, each with a program of it, which are installed together. Whether all are there. */
export async function requireDebianPackages(packages: Readonly<Record<string, string>>): Promise<boolean> {
  const isMissing = ([, program]: readonly [string, string]): boolean => !existsSync(program);
  if (Object.entries(packages).some(isMissing))
    await tryInstall(() =>
      Object.entries(packages)
        .filter(isMissing)
        .map(([name]) => name),
    );
  const missing = Object.entries(packages).filter(isMissing);
  for (const [name, program] of missing) complain(name, program);
  return missing.length === 0;
}

function complain(name: string, program: string): void {
  const line = `Some tests need the Debian package ${name} (${program}). Run \`apt-get install ${name}\` to install it.`;
  if (!areSkipsAllowed()) throw new Error(line);
  process.stderr.write(`${line}\n`);
}

async function tryInstall(missing: () => readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get") || !(await isDebian())) return;
  // Test files run in parallel, and two of them may need the same package.
  const lock = join(tmpdir(), "clawport-test-packages.lock");
  await withFileLock(lock, { waitMs: 600_000 }, async () => {
    const names = missing();
    if (names.length === 0) return;
    process.stderr.write(`Installing Debian packages for the tests: ${names.join(" ")} …\n`);
    await run("apt-get", ["update", "-qq"]);
    await run("apt-get", [
      "install",
      "-y",
      "-qq",
      "--no-install-recommends",
      "-o",
      "DPkg::Lock::Timeout=300",
      ...names,
    ]);
  });
}

async function isDebian(): Promise<boolean> {
  const release = await readFile("/etc/os-release", "utf8").catch(() => "");
  return /^ID(?:_LIKE)?=.*debian/m.test(release);
}

/** All output goes to stderr: stdout is for the test report. */
async function run(command: string, args: readonly string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const child = spawn(command, args, { env, stdio: ["ignore", 2, 2] });
  const [code] = await once(child, "exit");
  if (code !== 0) process.stderr.write(`${command} ${args.join(" ")} ended with ${String(code)}\n`);
}
