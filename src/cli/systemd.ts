import { execFile } from "node:child_process";
import { Fault } from "../core/fault.ts";
import { quoted } from "../core/text/peer-text.ts";
import type { World } from "../core/process/world.ts";

const alternative = "run `clawport up` in a terminal that stays open (tmux, screen), or from your own init system";

export interface SystemctlResult {
  readonly exit: number;
  readonly text: string;
}

/** Throws if systemd does not manage services for this user. */
export async function requireSystemd(world: World): Promise<void> {
  if (world.platform !== "linux") {
    const others: Record<string, string> = { darwin: "macOS (launchd)", win32: "Windows" };
    const here = others[world.platform] ?? world.platform;
    throw new Fault("unavailable", `services need systemd on Linux and are not supported on ${here}; ${alternative}`);
  }
  const { exit, text } = await systemctl(world, "show", "--property=Version");
  if (exit !== 0)
    throw new Fault("unavailable", `systemd does not manage user services here; ${alternative}`, {
      detail: { exit, text },
    });
}

/** Runs `systemctl --user`. A non-zero exit code is returned, not thrown. */
export async function systemctl(world: World, ...args: string[]): Promise<SystemctlResult> {
  const { promise, resolve, reject } = Promise.withResolvers<SystemctlResult>();
  execFile("systemctl", ["--user", ...args], { env: { ...world.env }, timeout: 30_000 }, (error, stdout, stderr) => {
    if (error?.code === "ENOENT")
      return reject(new Fault("unavailable", `systemctl was not found; ${alternative}`, { cause: error }));
    const exit = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
    resolve({ exit, text: (stdout + stderr).trim() });
  });
  return promise;
}

export interface SystemdUnitOptions {
  /** The absolute paths of Node and of the program. */
  readonly program: readonly string[];
  readonly home: string;
  readonly config?: string | undefined;
  /** The folder whose configuration it uses, if that comes with the folder: the hub then asks for trust after a change. */
  readonly folder?: string | undefined;
  /** Whether it belongs to a desktop session, and has its environment. */
  readonly desktop?: boolean;
}

/**
 * The systemd unit of the hub. It reads `service.env` in the home folder, since a service does not see the shell's
 * variables. It does not restart after an exit that a restart can't fix (usage, permission, configuration).
 */
export function renderSystemdUnit({ program, home, config, folder, desktop = false }: SystemdUnitOptions): string {
  const words = [...program, "up", "--home", home, ...(config === undefined ? [] : ["--config", config])];
  requireUnitText(folder === undefined ? words : [...words, folder]);
  return `[Unit]
Description=Clawport hub
${desktop ? withSession : ""}StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
Type=exec
ExecStart=${words.map(escapeUnitWord).join(" ")}
${folder === undefined ? "" : `WorkingDirectory=${escapeUnitPath(folder)}\n`}EnvironmentFile=-${escapeUnitPath(`${home}/service.env`)}
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2 77 78
TimeoutStopSec=15
UMask=0077

[Install]
WantedBy=${desktop ? sessionTarget : "default.target"}
`;
}

/** A user's service manager has the environment of the session once this target is reached. */
const sessionTarget = "graphical-session.target";
const withSession = `PartOf=${sessionTarget}\nAfter=${sessionTarget}\n`;

/** The systemd unit of the tray. A second tray of a session ends with 1, and is not started again; a panel may come later (69). */
export function renderTrayUnit({ program, home }: Pick<SystemdUnitOptions, "program" | "home">): string {
  const words = [...program, "tray", "--home", home];
  requireUnitText(words);
  return `[Unit]
Description=Clawport tray
${withSession}
[Service]
Type=exec
ExecStart=${words.map(escapeUnitWord).join(" ")}
Restart=on-failure
RestartSec=10
RestartPreventExitStatus=1 2 77 78

[Install]
WantedBy=${sessionTarget}
`;
}

/** A line break would begin a directive of its own, and a backslash at the end of a line joins it with the next. */
function requireUnitText(paths: readonly string[]): void {
  const bad = paths.find((path) => /\p{Cc}|[\u2028\u2029]|\\$/u.test(path));
  if (bad === undefined) return;
  const advice = "Rename the folder, or move it, and run `clawport service install` again.";
  throw new Fault("usage", `The path ${quoted(bad)} has a character that can't be in a systemd unit. ${advice}`);
}

/** One word of a command line in a unit, where `%` starts a specifier and `$` a variable (systemd.service(5), "Command lines"). */
function escapeUnitWord(word: string): string {
  const escaped = word
    .replaceAll("\\", "\\\\")
    .replaceAll('"', String.raw`\"`)
    .replaceAll("%", "%%")
    .replaceAll("$", "$$$$");
  return `"${escaped}"`;
}

/** A path setting is not a command line: it ends with the line, and only `%` is special. */
function escapeUnitPath(path: string): string {
  return path.replaceAll("%", "%%");
}
