import { reservedServerNames } from "../../../core/config/server-config.ts";
import { escapeDollars } from "../../../sources/servers/import/dialects.ts";
import { Fault } from "../../../core/fault.ts";
import { judgeAddress } from "../../../core/http/addresses.ts";
import { quoted } from "../../../core/text/peer-text.ts";
import { splitCommandLine } from "../../../core/process/split-command-line.ts";

/** What to connect to: an address, or a command that starts a server. */
export type ConnectTarget = { readonly url: string } | { readonly command: string; readonly args: readonly string[] };

/** Faults if an address may not be used: anything but HTTPS must be on this machine. */
export function parseConnectTarget(given: readonly string[]): ConnectTarget {
  // A whole command as one word, quotes included, as it is written in a chat.
  const words = given.length === 1 ? splitCommandLine(given[0] ?? "") : given;
  const [command, ...args] = words;
  if (command === undefined || command === "")
    throw new Fault("usage", "Name what to connect: an address such as https://example.com/mcp, or a command.");
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(command)) return { command, args };
  const problem = judgeAddress(command);
  if (problem !== undefined) throw new Fault("usage", `${quoted(command, 300)} ${problem}.`);
  if (args.length > 0) throw new Fault("usage", `An address takes no arguments, such as ${JSON.stringify(args[0])}.`);
  return { url: command };
}

const generic = new Set(["mcp", "api", "www", "server"]);
const runners = new Set([
  "npx",
  "bunx",
  "pnpx",
  "uvx",
  "pnpm",
  "npm",
  "yarn",
  "bun",
  "uv",
  "deno",
  "node",
  "python",
  "python3",
  "docker",
  "podman",
]);
const verbs = new Set(["run", "dlx", "exec", "x", "tool"]);

/** A short name for it: the distinctive part of the host or of the package. */
export function suggestName(target: ConnectTarget, taken: ReadonlySet<string>): string {
  const plain = "url" in target ? hostName(new URL(target.url)) : commandName(target);
  const base = plain
    .replaceAll(/[^A-Za-z0-9_.-]+/g, "-")
    .replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "")
    .slice(0, 56);
  const name = base === "" ? "server" : base;
  if (!taken.has(name) && !reservedServerNames.includes(name)) return name;
  for (let number = 2; ; number++) if (!taken.has(`${name}-${number}`)) return `${name}-${number}`;
}

function hostName({ hostname, port }: URL): string {
  if (/^[\d.]+$|^\[|^localhost$/.test(hostname)) return port === "" ? "local" : `local-${port}`;
  const labels = hostname.split(".");
  const ownLabels = labels.length > 2 ? labels.slice(0, -1) : labels;
  return ownLabels.find((label) => !generic.has(label)) ?? labels[0] ?? hostname;
}

function commandName({ command, args }: { readonly command: string; readonly args: readonly string[] }): string {
  const told = runners.has(partsOf(command).at(-1) ?? "")
    ? args.find((arg) => !arg.startsWith("-") && !verbs.has(arg))
    : undefined;
  const names = partsOf(told ?? command).map(plainName);
  return names.findLast((name) => !generic.has(name)) ?? command;
}

function partsOf(path: string): readonly string[] {
  return path.split(/[/\\]/).filter((part) => part !== "");
}

/** Without version, extension, and the words that every server's name has. */
function plainName(part: string): string {
  const name = part.replace(/(?<=.)@[^@]*$/, "").replace(/\.(?:[cm]?[jt]s|py|exe)$/i, "");
  return name.replace(/^(?:mcp-server-|server-|mcp-)(?=.)/, "").replace(/(?<=.)(?:-mcp-server|-mcp|-server)$/, "");
}

export function settingsOfTarget(target: ConnectTarget): Record<string, unknown> {
  if ("url" in target) return { url: escapeDollars(target.url) };
  const { command, args } = target;
  return { command: escapeDollars(command), ...(args.length > 0 && { args: args.map(escapeDollars) }) };
}

/** Faults if a new server can't have this name. */
export function requireServerName(name: string, taken: ReadonlySet<string>): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name))
    throw new Fault("usage", `${quoted(name, 80)} is not a valid server name. Use letters, digits, "_", "." and "-".`);
  if (reservedServerNames.includes(name))
    throw new Fault("usage", `Clawport itself uses the name ${name}. Choose another name with --name.`);
  if (taken.has(name))
    throw new Fault("conflict", `There is already a server named ${name}. Choose another name with --name.`);
}
