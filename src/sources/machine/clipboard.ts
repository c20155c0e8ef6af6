import { Fault } from "../../core/fault.ts";
import { type ProcessTree, startProcessTree } from "../../core/process/process-tree.ts";
import { sleep } from "../../core/wait.ts";
import { type Availability, available } from "./capability.ts";
import { findExecutable } from "../../core/process/find-program.ts";
import type { Machine } from "./machine.ts";
import { runTool, type ToolOutput } from "./run-tool.ts";

/** The clipboard of the desktop. */
export interface Clipboard {
  probe(): Promise<Availability>;
  readText(maxBytes: number, signal: AbortSignal): Promise<ClipboardContent>;
  /** PNG. */
  readImage(maxBytes: number, signal: AbortSignal): Promise<ClipboardContent>;
  writeText(text: string, signal: AbortSignal): Promise<void>;
  /** Ends what was started. On Linux the clipboard then loses what was written, unless a clipboard manager keeps it. */
  close(): Promise<void>;
}

export interface ClipboardContent {
  /** Undefined if the clipboard holds nothing of that kind. */
  readonly data?: Buffer;
  readonly truncated: boolean;
}

type Command = readonly [program: string, ...args: string[]];

/** The programs that one kind of desktop has for it. */
interface ClipboardWay {
  readonly readText: Command;
  readonly readImage?: Command;
  readonly writeText: Command;
  /** Whether the program that writes must go on running: on Linux a program owns what is in the clipboard. */
  readonly staysOwner?: boolean;
  /** Lists the types of what is in the clipboard. */
  readonly types?: Command;
  /** The variables by which the programs find the desktop. */
  readonly variables: readonly string[];
  /** The package with the programs, if the system does not bring them. */
  readonly package?: string;
}

const x11: ClipboardWay = {
  readText: ["xclip", "-selection", "clipboard", "-o", "-t", "UTF8_STRING"],
  readImage: ["xclip", "-selection", "clipboard", "-o", "-t", "image/png"],
  writeText: ["xclip", "-selection", "clipboard", "-quiet", "-i"],
  staysOwner: true,
  types: ["xclip", "-selection", "clipboard", "-o", "-t", "TARGETS"],
  variables: ["DISPLAY", "XAUTHORITY"],
  package: "xclip",
};

const wayland: ClipboardWay = {
  readText: ["wl-paste", "--no-newline", "--type", "text"],
  readImage: ["wl-paste", "--type", "image/png"],
  writeText: ["wl-copy", "--foreground", "--type", "text/plain"],
  staysOwner: true,
  types: ["wl-paste", "--list-types"],
  variables: ["WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"],
  package: "wl-clipboard",
};

const mac: ClipboardWay = { readText: ["pbpaste"], writeText: ["pbcopy"], variables: [] };

const powershell = ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command"] as const;
const windows: ClipboardWay = {
  readText: [...powershell, "[Console]::OutputEncoding=[Text.Encoding]::UTF8; Get-Clipboard -Raw"],
  writeText: [
    ...powershell,
    "[Console]::InputEncoding=[Text.Encoding]::UTF8; Set-Clipboard ([Console]::In.ReadToEnd())",
  ],
  variables: [],
};

const isText = (type: string): boolean => /^(?:UTF8_STRING|STRING|TEXT|text\/plain.*)$/i.test(type);
const isPng = (type: string): boolean => type === "image/png";

const timeoutMs = 10_000;
/** How often, and how many times, to look whether the desktop has taken a text. */
const ownEveryMs = 20;
const ownRounds = 100;

export function createClipboard({ env, platform }: Pick<Machine, "env" | "platform">): Clipboard {
  function findWay(): ClipboardWay | undefined {
    if (platform === "darwin") return mac;
    if (platform === "win32") return windows;
    if (env["WAYLAND_DISPLAY"]) return wayland;
    return env["DISPLAY"] ? x11 : undefined;
  }

  function requireWay(): ClipboardWay {
    const way = findWay();
    if (way === undefined) throw new Fault("unavailable", "There is no display.");
    return way;
  }

  let owner: ProcessTree | undefined;

  async function programOf([program, ...args]: Command) {
    const command = await findExecutable(program, env, platform);
    if (command === undefined) throw new Fault("unavailable", `${program} was not found.`);
    const { variables } = requireWay();
    const given = Object.fromEntries(variables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
    return { command, args, env: given };
  }

  async function run(
    command: Command,
    more: { maxBytes?: number; input?: string; signal: AbortSignal },
  ): Promise<ToolOutput> {
    return runTool({ ...(await programOf(command)), maxBytes: 64 * 1024, timeoutMs, ...more }, env);
  }

  /** The program serves the text to others until it loses the clipboard, or until the next write. */
  async function own(way: ClipboardWay, text: string, signal: AbortSignal): Promise<void> {
    const tree = await startProcessTree(await programOf(way.writeText), env);
    const before = owner;
    owner = tree;
    tree.stdout.resume();
    tree.stderr.resume();
    tree.stdin.write(text);
    tree.endInput();
    await before?.kill();
    const wanted = Buffer.from(text);
    const hasIt = async (): Promise<boolean> => {
      const { stdout } = await run(way.readText, { maxBytes: wanted.length + 1, signal });
      return stdout.equals(wanted);
    };
    for (let round = 0; round < ownRounds; round++) {
      if (await hasIt()) return;
      await sleep(ownEveryMs, signal);
    }
    await tree.kill();
    throw new Fault("unavailable", "The desktop did not take the text.");
  }

  /** Password managers mark what they copy; such a content is not for tools. */
  async function requireShareable(
    { types }: ClipboardWay,
    signal: AbortSignal,
  ): Promise<readonly string[] | undefined> {
    if (types === undefined) return undefined;
    const { code, stdout } = await run(types, { signal });
    const listed =
      code === 0
        ? stdout
            .toString("utf8")
            .split("\n")
            .map((line) => line.trim())
        : [];
    if (listed.includes("x-kde-passwordManagerHint"))
      throw new Fault("denied", "The clipboard holds what a password manager copied.");
    return listed;
  }

  async function read(
    isWanted: (type: string) => boolean,
    command: Command | undefined,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<ClipboardContent> {
    const way = requireWay();
    if (command === undefined) throw new Fault("unavailable", "Images in the clipboard can't be read on this system.");
    const types = await requireShareable(way, signal);
    // Some programs hand out what they have as any type.
    if (types?.some(isWanted) === false) return { truncated: false };
    const { code, stdout, truncated } = await run(command, { maxBytes, signal });
    // These programs fail if the clipboard holds nothing of the requested type.
    return code !== 0 || stdout.length === 0 ? { truncated: false } : { data: stdout, truncated };
  }

  return {
    async probe() {
      const way = findWay();
      if (way === undefined)
        return { ok: false, reason: "there is no display", fix: "start the node in your desktop session" };
      const [program] = way.readText;
      if ((await findExecutable(program, env, platform)) !== undefined) return available;
      const fix = way.package === undefined ? undefined : `install the package \`${way.package}\``;
      return { ok: false, reason: `${program} was not found`, ...(fix && { fix }) };
    },
    readText: (maxBytes, signal) => read(isText, requireWay().readText, maxBytes, signal),
    readImage: (maxBytes, signal) => read(isPng, requireWay().readImage, maxBytes, signal),
    async writeText(text, signal) {
      const way = requireWay();
      if (way.staysOwner) return own(way, text, signal);
      const { code, stderr } = await run(way.writeText, { input: text, signal });
      if (code !== 0)
        throw new Fault("unavailable", `The clipboard could not be written: ${stderr.trim().slice(0, 300)}`);
    },
    async close() {
      await owner?.kill();
      owner = undefined;
    },
  };
}
