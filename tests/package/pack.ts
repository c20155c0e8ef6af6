import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { runLong } from "./run-long.ts";

export const root = join(import.meta.dirname, "../..");

/** The oldest Node that the package promises to run on: `22.19.0`. */
export const oldestNode = `${manifest.engines.node.replace(">=", "")}.0`;

export interface PackedCheckout extends AsyncDisposable {
  readonly path: string;
  /** OpenClaw's plugin, which is a package of its own. */
  readonly plugin: string;
}

/** Packs the checkout as for a release. The build runs in a copy: other tests use what is built here. */
export async function packCheckout(): Promise<PackedCheckout> {
  const folder = await mkdtemp(join(tmpdir(), "pack-"));
  const copy = join(folder, "checkout");
  await copyCheckout(copy, (path) => !notCopied.has(path.split("/")[0]!));
  await symlink(join(root, "node_modules"), join(copy, "node_modules"), "junction");
  const pack = async (cwd: string): Promise<string> => {
    const { out } = await runNpm(["pack", "--json", "--silent", "--pack-destination", folder], cwd);
    const [{ filename }] = JSON.parse(out.slice(out.indexOf("["))) as [{ filename: string }];
    return join(folder, basename(filename));
  };
  return {
    path: await pack(copy),
    plugin: await pack(join(copy, "dist", "openclaw-plugin")),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

const notCopied = new Set([".cache", ".git", "coverage", "dist", "node_modules"]);

/** Copies the files of the checkout whose path (with `/`, from the root) is wanted. */
export function copyCheckout(to: string, isWanted: (path: string) => boolean): Promise<void> {
  const filter = (path: string): boolean => path === root || isWanted(relative(root, path).replaceAll("\\", "/"));
  return cp(root, to, { recursive: true, filter });
}

/** Runs npm on the Node of this process. What it downloads is kept in `.cache`. */
export function runNpm(args: readonly string[], cwd: string): Promise<{ readonly out: string }> {
  const cache = join(root, ".cache", "npm");
  return runLong("npm", [...args, "--cache", cache, "--prefer-offline", "--no-audit", "--no-fund"], {
    cwd,
    path: [dirname(process.execPath)],
  });
}
