import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { Fault } from "../../../core/fault.ts";
import { visibleText } from "../../../core/text/peer-text.ts";
import { type ProcessTree, startProcessTree } from "../../../core/process/process-tree.ts";
import { type Availability, available, CapabilityFault } from "../capability.ts";
import { findExecutable } from "../../../core/process/find-program.ts";
import type { Machine } from "../machine.ts";
import { runTool } from "../run-tool.ts";

export type DesktopCommand = readonly [program: string, ...args: string[]];

export interface DesktopRun {
  readonly signal?: AbortSignal | undefined;
  /** 30 s unless given. */
  readonly timeoutMs?: number;
  /** 64 KiB unless given; more than that is a fault. */
  readonly maxBytes?: number;
  readonly input?: string | Buffer;
  /** Beside what finds the desktop. */
  readonly env?: Readonly<Record<string, string>>;
  /** For a program that may start others. */
  readonly pidNamespace?: "auto";
}

/** The programs of this system that see the screen, hear and speak. On Linux they end with this process, however it ends. */
export interface DesktopTools extends Pick<Machine, "env" | "platform"> {
  has(program: string): Promise<boolean>;
  /** Which of these programs are missing, and the packages that bring them. */
  need(programs: Readonly<Record<string, string>>): Promise<Availability>;
  /** Runs a program to its end and returns what it wrote. Faults with `unavailable` if it fails. */
  run(command: DesktopCommand, options?: DesktopRun): Promise<Buffer>;
  /** Starts a program that takes its input bit by bit. */
  start(command: DesktopCommand): Promise<ProcessTree>;
}

/** By these the programs find the display and the sound of the session. */
const sessionVariables = [
  "DBUS_SESSION_BUS_ADDRESS",
  "DISPLAY",
  "PIPEWIRE_REMOTE",
  "PIPEWIRE_RUNTIME_DIR",
  "PULSE_COOKIE",
  "PULSE_RUNTIME_PATH",
  "PULSE_SERVER",
  "SWAYSOCK",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
  "XDG_RUNTIME_DIR",
];

const usualMs = 30_000;
const usualBytes = 64 * 1024;

export function createDesktopTools({ env, platform }: Pick<Machine, "env" | "platform">): DesktopTools {
  const session = Object.fromEntries(
    sessionVariables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  // What these programs print is read here, so its language and encoding must be known.
  const given = platform === "linux" ? { ...session, LC_ALL: "C.UTF-8" } : session;

  const find = async (program: string): Promise<string | undefined> =>
    isAbsolute(program) ? program : findExecutable(program, env, platform);

  async function programOf([program, ...args]: DesktopCommand) {
    const command = await find(program);
    if (command === undefined) throw new Fault("unavailable", `${program} was not found.`);
    const [guard, ...words] = await (guarding ??= findGuard());
    return guard === undefined ? { command, args } : { command: guard, args: [...words, command, ...args] };
  }

  let guarding: Promise<readonly string[]> | undefined;

  /** What has the kernel kill a program if this process is killed. Not every `setpriv` can. */
  async function findGuard(): Promise<readonly string[]> {
    const setpriv = platform === "linux" ? await find("setpriv") : undefined;
    if (setpriv === undefined) return [];
    const words = ["--pdeathsig", "KILL", "--"];
    const check = { command: setpriv, args: [...words, setpriv, "--version"], maxBytes: 1000, timeoutMs: 5000 };
    const works = await runTool(check, env).then(
      ({ code }) => code === 0,
      () => false,
    );
    return works ? [setpriv, ...words] : [];
  }

  return {
    env,
    platform,
    has: async (program) => {
      const path = await find(program);
      return path !== undefined && existsSync(path);
    },
    async need(programs) {
      const missing: string[] = [];
      for (const program of Object.keys(programs)) if ((await find(program)) === undefined) missing.push(program);
      if (missing.length === 0) return available;
      const packages = [...new Set(missing.map((program) => `\`${programs[program]}\``))];
      return {
        ok: false,
        reason: `${missing.join(" and ")} ${missing.length === 1 ? "was" : "were"} not found`,
        fix: `install the ${packages.length === 1 ? "package" : "packages"} ${packages.join(" and ")}`,
      };
    },
    async run(command, { timeoutMs = usualMs, maxBytes = usualBytes, env: more = {}, ...rest } = {}) {
      const program = await programOf(command);
      const run = { ...program, env: { ...given, ...more }, maxBytes, timeoutMs, ...rest };
      const { code, stdout, stderr, truncated } = await runTool(run, env);
      if (code !== 0) throw failed(command, stderr);
      if (truncated) throw tooLarge(maxBytes);
      return stdout;
    },
    start: async (command) => startProcessTree({ ...(await programOf(command)), env: given, pidNamespace: "off" }, env),
  };
}

function tooLarge(maxBytes: number): CapabilityFault {
  const message = `The result is larger than ${maxBytes} bytes. Ask for less, such as a JPEG or a smaller \`maxWidth\`.`;
  return new CapabilityFault("PAYLOAD_TOO_LARGE", message, { code: "too-large" });
}

/** The last line usually says what is wrong. */
export function failed([program]: DesktopCommand, stderr: string): Fault {
  const line = visibleText(stderr.trim().split("\n").at(-1) ?? "", 300).replace(/\.+$/, "");
  return new Fault("unavailable", `${program} failed${line === "" ? "" : `: ${line}`}.`);
}
