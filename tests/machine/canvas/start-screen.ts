import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { requireDebianPackage } from "../../setup/require-debian-package.ts";
import { until } from "../../support/until.ts";
import type { Colour } from "../desktop/look-at-media.ts";

/** Undefined if this system can't have one of them. */
export const canvasPrograms: readonly (string | undefined)[] =
  process.platform === "linux"
    ? [
        await requireDebianPackage("chromium"),
        await requireDebianPackage("xvfb"),
        await requireDebianPackage("openbox"),
        await requireDebianPackage("wmctrl"),
        await requireDebianPackage("ffmpeg"),
      ]
    : [undefined];

/** An X server with a window manager, apart from those of this machine. */
export interface Screen extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  /** The titles of all windows. */
  windows(): Promise<readonly string[]>;
  /** Closes a window as the user does. */
  closeWindow(title: string): Promise<void>;
  /** Clicks with the mouse, as the user does. Needs xdotool. */
  click(x: number, y: number): Promise<void>;
  /** The colour at a point of the screen. */
  colourAt(x: number, y: number): Promise<Colour>;
}

const [width, height] = [1024, 768];

export async function startScreen(): Promise<Screen> {
  const server = spawn("Xvfb", ["-displayfd", "1", "-screen", "0", `${width}x${height}x24`, "-nolisten", "tcp"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [number] = (await once(createInterface({ input: server.stdout }), "line")) as [string];
  const env = { DISPLAY: `:${number}` };
  const run = async (program: string, ...args: string[]): Promise<Buffer> => {
    const options = { env: { ...process.env, ...env }, encoding: "buffer" as const, maxBuffer: 16 * 1024 * 1024 };
    return (await promisify(execFile)(program, args, options)).stdout;
  };
  const startManager = (): ChildProcess => spawn("openbox", [], { env: { ...process.env, ...env }, stdio: "ignore" });
  let manager = startManager();
  const isManaged = async (): Promise<boolean> => {
    // It gives up if the screen does not answer at once.
    if (manager.exitCode !== null) manager = startManager();
    return run("wmctrl", "-m").then(
      () => true,
      () => false,
    );
  };
  await until(isManaged, "the window manager", 60_000);
  return {
    env,
    async windows() {
      const lines = (await run("wmctrl", "-l")).toString("utf8").split("\n");
      return lines.flatMap((line) => /^\S+\s+\S+\s+\S+\s(.*)$/.exec(line)?.[1] ?? []);
    },
    async closeWindow(title) {
      await run("wmctrl", "-F", "-c", title);
    },
    async click(x, y) {
      await run("xdotool", "mousemove", String(x), String(y), "click", "1");
    },
    async colourAt(x, y) {
      const grab = ["-v", "error", "-f", "x11grab", "-video_size", `${width}x${height}`, "-i", env.DISPLAY];
      const pixels = await run("ffmpeg", ...grab, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-");
      return colourIn(pixels, width, x, y);
    },
    async [Symbol.asyncDispose]() {
      for (const child of [manager, server]) await end(child);
    },
  };
}

function colourIn(pixels: Buffer, columns: number, x: number, y: number): Colour {
  const start = (y * columns + x) * 3;
  return [pixels[start] ?? -1, pixels[start + 1] ?? -1, pixels[start + 2] ?? -1];
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
