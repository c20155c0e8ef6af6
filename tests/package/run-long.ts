import { execFile } from "node:child_process";
import { delimiter } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Runs a program that may take minutes, and throws what it printed if it fails. `path` is looked at before `PATH`. */
export async function runLong(
  file: string,
  args: readonly string[],
  { cwd, path = [] }: { readonly cwd: string; readonly path?: readonly string[] },
): Promise<{ readonly out: string }> {
  const env = { ...process.env, PATH: [...path, process.env["PATH"]].join(delimiter) };
  const options = { cwd, env, timeout: 280_000, maxBuffer: 64 * 2 ** 20, shell: process.platform === "win32" };
  const { stdout } = await run(file, args, options).catch((error: Error & { stdout?: string; stderr?: string }) => {
    throw new Error(`${file} ${args.join(" ")} failed: ${error.stdout ?? ""}${error.stderr ?? error.message}`);
  });
  return { out: stdout };
}
