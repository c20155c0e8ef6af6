import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withFileLock } from "../../src/core/files/file-lock.ts";

/**
 * The path of a program that a test needs, installed first where that is possible (Debian, root). Elsewhere undefined,
 * after a line that names the package, so that the test can be skipped; where `CI` is set, that is a failure.
 */
export async function requireDebianPackage(name: string, program: string): Promise<string | undefined> {
  if (!existsSync(program)) await tryInstall(name, program);
  if (existsSync(program)) return program;
  const line = `Tests need the Debian package ${name} (${program}). Install it: apt-get install ${name}`;
  if (process.env.CI) throw new Error(line);
  process.stderr.write(`${line}\n`);
  return undefined;
}

async function tryInstall(name: string, program: string): Promise<void> {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get") || !(await isDebian())) return;
  // Test files run side by side, and two of them may want the same package.
  const lock = join(tmpdir(), "clawport-test-packages.lock");
  await withFileLock(lock, { waitMs: 600_000 }, async () => {
    if (existsSync(program)) return;
    process.stderr.write(`Installing the Debian package ${name} for the tests …\n`);
    await run("apt-get", ["update", "-qq"]);
    await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300", name]);
  });
}

async function isDebian(): Promise<boolean> {
  const release = await readFile("/etc/os-release", "utf8").catch(() => "");
  return /^ID(?:_LIKE)?=.*debian/m.test(release);
}

/** Everything it says goes to stderr: stdout is for the test report. */
async function run(command: string, args: readonly string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const child = spawn(command, args, { env, stdio: ["ignore", 2, 2] });
  const [code] = await once(child, "exit");
  if (code !== 0) process.stderr.write(`${command} ${args.join(" ")} ended with ${String(code)}\n`);
}
