import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { areSkipsAllowed } from "./skips-allowed.ts";

const run = promisify(execFile);

export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** Takes all the space that is left. */
  fill(): Promise<void>;
  /** Gives back what `fill` took. */
  free(): Promise<void>;
}

/** Whether a file system can be mounted here. If not, prints a line that says so, or throws if no test may be skipped. */
export async function canMount(): Promise<boolean> {
  try {
    await (await mountSmallDisk("64k"))[Symbol.asyncDispose]();
    return true;
  } catch (error) {
    const line = `Some tests mount a small tmpfs, which needs Linux and root: ${String(error).split("\n")[0]}`;
    if (!areSkipsAllowed()) throw new Error(line, { cause: error });
    process.stderr.write(`${line}\n`);
    return false;
  }
}

export async function mountSmallDisk(size: string): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), "disk-"));
  await run("mount", ["-t", "tmpfs", "-o", `size=${size},mode=700`, "clawport-test", path]);
  const filler = join(path, "filler");
  return {
    path,
    async fill() {
      // Fails at the last block, when the disk is full.
      await writeFile(filler, Buffer.alloc(64 * 1024 * 1024)).catch(() => {});
    },
    free: () => rm(filler, { force: true }),
    async [Symbol.asyncDispose]() {
      await run("umount", ["--lazy", path]);
      await rm(path, { recursive: true, force: true });
    },
  };
}
