import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findNamespaceLauncher } from "../../src/core/process/pid-namespace.ts";
import { requireDebianPackage } from "../setup/require-debian-package.ts";
import { areSkipsAllowed } from "../setup/skips-allowed.ts";

export interface NamespaceTestWay {
  readonly name: "bubblewrap" | "unshare" | "none";
  /** A PATH on which only this way is found. */
  readonly path: string;
}

const programs = { bubblewrap: ["bwrap"], unshare: ["unshare", "setpriv", "mount"], none: [] } as const;

/** The ways that this system allows. Those that it refuses are named on stderr, or fail if no test may be skipped. */
export async function allowedWays(): Promise<readonly NamespaceTestWay[]> {
  if (process.platform !== "linux") return [];
  await requireDebianPackage("bubblewrap");
  const folder = await mkdtemp(path.join(tmpdir(), "clawport-ways-"));
  await chmod(folder, 0o755);
  const ways: NamespaceTestWay[] = [];
  for (const name of ["bubblewrap", "unshare"] as const) {
    const way = { name, path: await linkPrograms(path.join(folder, name), programs[name]) };
    if ((await findNamespaceLauncher({ PATH: way.path }))?.name === name) ways.push(way);
    else refuse(name);
  }
  return ways;
}

/** A PATH without a way to make a namespace, as on a system that has none. */
export async function noWay(): Promise<NamespaceTestWay> {
  const folder = await mkdtemp(path.join(tmpdir(), "clawport-ways-"));
  return { name: "none", path: await linkPrograms(path.join(folder, "none"), programs.none) };
}

async function linkPrograms(folder: string, names: readonly string[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const name of [...names, "setsid", "env", "sleep"]) {
    const file = ["/usr/bin", "/bin"].map((place) => path.join(place, name)).find((each) => existsSync(each));
    if (file !== undefined) await symlink(file, path.join(folder, name));
  }
  return folder;
}

function refuse(name: string): void {
  const line = `This system allows no PID namespace through ${name}: its tests are skipped.`;
  if (!areSkipsAllowed()) throw new Error(line);
  process.stderr.write(`${line}\n`);
}
