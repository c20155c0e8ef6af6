import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { until } from "../support/until.ts";

/** An X server, a session bus, and a notification daemon (dunst) on both, apart from those of this machine. */
export interface Desktop extends AsyncDisposable {
  /** What a process needs to find it. */
  readonly env: Readonly<Record<string, string>>;
  /** What is in the clipboard, read from outside; empty if nothing is. */
  clipboard(): Promise<string>;
  copy(text: string): Promise<void>;
  /** What the daemon has shown: its printed notifications. */
  shown(): string;
  /** Presses the button with this label on the notification that is shown. */
  press(label: string): Promise<void>;
  /** Ends the notification daemon, and starts it again after the work. */
  withoutDaemon(work: () => Promise<void>): Promise<void>;
  /** Runs a program on this desktop and returns its output. */
  run(program: string, ...args: string[]): Promise<string>;
}

export interface DesktopOptions {
  /** `640x480` unless given. */
  readonly size?: string;
  /** Starts openbox. */
  readonly windowManager?: boolean;
}

export async function startDesktop({ size = "640x480", windowManager = false }: DesktopOptions = {}): Promise<Desktop> {
  const folder = await mkdtemp(join(tmpdir(), "desktop-"));
  const screen = spawn("Xvfb", ["-displayfd", "1", "-screen", "0", `${size}x24`, "-nolisten", "tcp"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const bus = spawn(
    "dbus-daemon",
    ["--session", "--nofork", "--nopidfile", `--address=unix:path=${folder}/bus`, "--print-address=1"],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  const [[display], [address]] = (await Promise.all([
    once(createInterface({ input: screen.stdout }), "line"),
    once(createInterface({ input: bus.stdout }), "line"),
  ])) as [[string], [string]];
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    XDG_RUNTIME_DIR: folder,
    DISPLAY: `:${display}`,
    DBUS_SESSION_BUS_ADDRESS: address,
  };
  // The daemon asks a menu program which button is meant; this one takes the first with the label in the file.
  const menu = join(folder, "menu");
  await writeFile(menu, `#!/bin/sh\ngrep -m1 -F "$(cat ${folder}/label)" && rm -f ${folder}/label\n`);
  await chmod(menu, 0o755);
  await writeFile(
    join(folder, "dunstrc"),
    `[global]\n    dmenu = ${menu}\n    markup = full\n    show_indicators = no\n`,
  );
  let printed = "";
  const run = async (program: string, ...args: string[]): Promise<string> =>
    (await promisify(execFile)(program, args, { env })).stdout;
  // It has its name on the bus a moment before it answers.
  const startDaemon = async (): Promise<ChildProcess> => {
    const started = spawn("dunst", ["-conf", join(folder, "dunstrc"), "-print"], {
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    started.stdout.on("data", (chunk) => (printed += chunk));
    const service = "org.freedesktop.Notifications";
    const ask = ["--session", "--print-reply", `--dest=${service}`, "/org/freedesktop/Notifications"];
    const answers = (): Promise<string> => run("dbus-send", ...ask, `${service}.GetCapabilities`).catch(() => "");
    await until(async () => (await answers()).includes('"actions"'), "the notification daemon", 60_000);
    return started;
  };
  let daemon = await startDaemon();
  const manager = windowManager ? spawn("openbox", { env, stdio: "ignore" }) : undefined;
  if (manager !== undefined)
    await until(
      async () => (await run("xprop", "-root", "_NET_SUPPORTING_WM_CHECK")).includes("# 0x"),
      "the window manager",
    );

  return {
    env,
    run,
    clipboard: () => run("xclip", "-selection", "clipboard", "-o").catch(() => ""),
    async copy(text) {
      const child = spawn("xclip", ["-selection", "clipboard", "-i"], { env, stdio: ["pipe", "ignore", "ignore"] });
      child.stdin.end(text);
      await once(child, "exit");
    },
    shown: () => printed,
    async withoutDaemon(work) {
      await end(daemon);
      await work();
      daemon = await startDaemon();
    },
    async press(label) {
      await writeFile(join(folder, "label"), label);
      // What was printed is on the screen a moment later.
      await until(async () => {
        await run("dunstctl", "context");
        return !existsSync(join(folder, "label"));
      }, `a button ${label}`);
    },
    async [Symbol.asyncDispose]() {
      for (const child of [manager, daemon, bus, screen]) await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
