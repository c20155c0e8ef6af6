import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../support/until.ts";

export interface WaylandDesktop extends AsyncDisposable {
  /** What a process needs to find it. */
  readonly env: Readonly<Record<string, string>>;
}

/** sway without a monitor. It refuses to run as root, so it runs as nobody there. */
export async function startSway(): Promise<WaylandDesktop> {
  const isRoot = process.getuid?.() === 0;
  // Nobody can't enter the folder of this run.
  const folder = await mkdtemp(join(isRoot ? "/tmp" : tmpdir(), "clawport-sway-"));
  const nobody = 65_534;
  const config = join(folder, "config");
  await writeFile(config, "output HEADLESS-1 resolution 640x480 position 0,0\ndefault_border none\n");
  await chmod(folder, 0o700);
  if (isRoot) await chown(folder, nobody, nobody);
  const base = { PATH: process.env["PATH"] ?? "", HOME: folder, XDG_RUNTIME_DIR: folder };
  const headless = { WLR_BACKENDS: "headless", WLR_LIBINPUT_NO_DEVICES: "1", WLR_RENDERER: "pixman" };
  const compositor = spawn("sway", ["-c", config], {
    cwd: "/",
    env: { ...base, ...headless },
    stdio: "ignore",
    ...(isRoot && { uid: nobody, gid: nobody }),
  });
  let names: readonly string[] = [];
  await until(async () => {
    if (compositor.exitCode !== null) throw new Error(`sway ended with ${compositor.exitCode}`);
    names = await readdir(folder);
    return names.includes("wayland-1") && names.some((name) => name.startsWith("sway-ipc."));
  }, "sway");
  const socket = names.find((name) => name.startsWith("sway-ipc.")) ?? "";
  return {
    env: { ...base, WAYLAND_DISPLAY: "wayland-1", SWAYSOCK: join(folder, socket) },
    async [Symbol.asyncDispose]() {
      if (compositor.exitCode === null && compositor.signalCode === null) {
        compositor.kill("SIGKILL");
        await once(compositor, "exit");
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}
