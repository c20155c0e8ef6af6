import { hash } from "node:crypto";
import { basename, posix, win32 } from "node:path";
import { Script } from "node:vm";
import { compileGlob } from "../../../catalog/glob.ts";
import type { AllowlistEntry } from "./approvals-file.ts";

/** A command, resolved: what the allowlist is about. */
export interface MatchedCommand {
  /** The real path of the program. */
  readonly executable: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

export interface MatchSurroundings {
  readonly homedir: string;
  readonly platform: string;
}

/** The entry that allows the command; one that names the arguments comes before one that does not. */
export function matchAllowlist(
  entries: readonly AllowlistEntry[],
  command: MatchedCommand,
  around: MatchSurroundings,
): AllowlistEntry | undefined {
  if (runsAnyApplet(command.executable)) return undefined;
  const byPath = entries.filter(({ pattern }) => matchesPath(pattern.trim(), command.executable, around));
  const end = processorMs() + maxMatchMs;
  const exact = byPath.find(
    (entry) =>
      entry.argPattern !== undefined && processorMs() < end && matchesArguments(entry, command, around.platform),
  );
  if (exact !== undefined || runsOthers(command.executable)) return exact;
  return byPath.find(({ argPattern, source }) => argPattern === undefined && source === undefined);
}

/** The name under which it is started decides what it does, so its path says nothing. */
function runsAnyApplet(executable: string): boolean {
  return /^(?:busybox|toybox|coreutils)(?:\.exe)?$/i.test(basename(executable));
}

const interpreters =
  /^(?:(?:ba|da|z|k|mk|pdk|a|c|tc|fi|r)?sh|python|pypy|node|nodejs|deno|bun|perl|ruby|php|lua|luajit|tclsh|wish|guile|awk|gawk|mawk|nawk|osascript|powershell|pwsh|cmd|wscript|cscript|mshta|java|jshell|Rscript|julia|ocaml|sbcl|groovy|irb|ipython)[\d.]*(?:-[a-z]+)?(?:\.exe)?$/i;
const launchers =
  /^(?:env|nice|nohup|stdbuf|timeout|flock|setsid|setpriv|sudo|doas|su|runuser|pkexec|xargs|parallel|time|watch|strace|ltrace|gdb|chroot|unshare|nsenter|bwrap|systemd-run|script|expect|ssh|ionice|taskset|chrt|prlimit|ld-linux.*|ld\.so)(?:\.exe)?$/i;

/** An interpreter or a program that starts others: without its arguments, its path allows everything. */
export function runsOthers(executable: string): boolean {
  const name = basename(executable);
  return interpreters.test(name) || launchers.test(name);
}

/**
 * A glob over the whole real path: `*` within one folder, `**` for any folders, `~` for the home folder. A bare name never
 * matches: it says nothing about which file runs.
 */
export function matchesPath(pattern: string, path: string, { homedir, platform }: MatchSurroundings): boolean {
  const expanded = /^~[/\\]/.test(pattern) ? `${homedir}/${pattern.slice(2)}` : pattern;
  const isRooted = expanded.startsWith("/") || expanded.startsWith("**/") || /^[A-Za-z]:[/\\]/.test(expanded);
  if (!isRooted) return false;
  // Only there do two spellings name the same file.
  const fold = (text: string): string => {
    const slashed = platform === "win32" ? text.replaceAll("\\", "/") : text;
    return platform === "win32" || platform === "darwin" ? slashed.toLowerCase() : slashed;
  };
  return matchesSegments(fold(expanded).split("/"), fold(path).split("/"));
}

/** Each pattern segment against each path segment at most once. */
function matchesSegments(pattern: readonly string[], path: readonly string[]): boolean {
  let reached = new Set([0]);
  for (const segment of pattern) {
    const next = new Set<number>();
    if (segment === "**") {
      const first = Math.min(...reached);
      for (let at = first; at <= path.length; at++) next.add(at);
    } else {
      const matches = compileGlob(segment);
      for (const at of reached) if (at < path.length && matches(path[at]!)) next.add(at + 1);
    }
    if (next.size === 0) return false;
    reached = next;
  }
  return reached.has(path.length);
}

const hashPrefix = "sha256:cwd-argv:v1:";
const legacyPrefix = "sha256:argv:";
const maxText = 20_000;
const regexMs = 50;
const maxTries = 5;
/** For all entries together, of processor time. */
const maxMatchMs = 200;

function matchesArguments(
  { argPattern = "", source }: AllowlistEntry,
  command: MatchedCommand,
  platform: string,
): boolean {
  if (argPattern.startsWith(hashPrefix)) return argPattern === hashCommandArguments(command, platform);
  // What was generated without the folder does not count any more, as in OpenClaw.
  if (argPattern.startsWith(legacyPrefix) || source === "allow-always") return false;
  const { args } = command;
  const subject = argPattern.includes("\0") ? (args.length === 0 ? "\0\0" : `${args.join("\0")}\0`) : args.join(" ");
  return subject.length <= maxText && testPattern(argPattern, subject);
}

/** OpenClaw's hash of the arguments and the folder. Lengths come first, so that no two command lines share it. */
export function hashCommandArguments({ args, cwd }: MatchedCommand, platform: string): string {
  const folder = (platform === "win32" ? win32 : posix).normalize(cwd).replaceAll("\\", "/");
  const measured = (text: string): string => `${Buffer.byteLength(text)}\0${text}\0`;
  return hashPrefix + hash("sha256", `${measured(folder)}${args.length}\0${args.map(measured).join("")}`);
}

const script = new Script("new RegExp(pattern).test(subject)");

/**
 * The pattern is the user's, the subject the caller's: together they must not stop this process. The limit is of the time on
 * the clock, so on a busy machine a pattern that was not running when it passed is tried again.
 */
function testPattern(pattern: string, subject: string): boolean {
  for (let tries = 0; tries < maxTries; tries++) {
    const start = processorMs();
    try {
      return script.runInNewContext({ pattern, subject }, { timeout: regexMs }) === true;
    } catch {
      if (processorMs() - start > regexMs / 2) return false;
    }
  }
  return false;
}

/** Unlike the time on the clock, it does not pass while other programs run. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
