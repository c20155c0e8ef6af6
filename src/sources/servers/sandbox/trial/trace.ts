import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isHidden, isReadOnly, type Refused, type RefusalsOptions } from "../refusals.ts";

/** Where the trace is: in the home folder of the cage. */
export const traceFile = ".clawport-trace";

/** Runs a command line under strace, which writes down what it opens and connects to. */
export function traceWords(strace: string, line: readonly string[], home: string): readonly string[] {
  const calls = "trace=open,openat,mkdir,mkdirat,connect";
  const flags = ["-f", "-qq", "--seccomp-bpf", "-s", "512", "-e", "signal=none", "-e", calls];
  return [strace, ...flags, "-o", join(home, traceFile), "--", ...line];
}

export interface Traced {
  readonly refused: readonly Refused[];
  /** Unix sockets that could not be connected to. */
  readonly sockets: readonly string[];
}

/** What strace wrote. The program could have written it as well: it is as good as the program's word. */
export function readTrace(text: string, options: RefusalsOptions): Traced {
  const refused = new Map<string, Refused>();
  const sockets = new Set<string>();
  for (const { call, path, flags, error } of failedCalls(text)) {
    if (call === "connect") {
      sockets.add(path);
      continue;
    }
    const isWrite = call.startsWith("mkdir") || /O_(?:WRONLY|RDWR|CREAT)/.test(flags);
    const found = judge(path, isWrite, error, options);
    if (found !== undefined) refused.set(JSON.stringify(found), found);
  }
  return { refused: [...refused.values()], sockets: [...sockets] };
}

/** What every program looks for on its way, whether it needs it or not. */
const passing =
  /\/(?:package\.json|node_modules|\.npmrc|pyvenv\.cfg|\.clawport-trace)$|\/node-compile-cache\/|^\/(?:sys|proc|dev|run|var\/run)\//;

function judge(path: string, isWrite: boolean, error: string, options: RefusalsOptions): Refused | undefined {
  if (!path.startsWith("/") || passing.test(path)) return undefined;
  if (error === "EROFS") return isReadOnly(path, options) ? { kind: "read-only", path } : undefined;
  if (error !== "ENOENT") return undefined;
  if (isHidden(path, options)) return { kind: "hidden", path, ...(isWrite && { isWrite }) };
  const folder = dirname(path);
  return isWrite && !existsSync(path) && isHidden(folder, options)
    ? { kind: "hidden", path: folder, isWrite: true }
    : undefined;
}

interface FailedCall {
  readonly call: string;
  readonly path: string;
  readonly flags: string;
  readonly error: string;
}

/** A call of one thread may be interrupted by lines of others, and is then in two parts. */
function failedCalls(text: string): readonly FailedCall[] {
  const begun = new Map<string, string>();
  return text.split("\n").flatMap((line) => {
    const [, pid = "", said = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const [, start] = /^(.*?)\s*<unfinished \.\.\.>$/.exec(said) ?? [];
    if (start !== undefined) {
      begun.set(pid, start);
      return [];
    }
    const [, rest] = /^<\.\.\. \w+ resumed>(.*)$/.exec(said) ?? [];
    const whole = rest === undefined ? said : `${begun.get(pid) ?? ""}${rest}`;
    const [, call = "", args = "", error = ""] = /^(\w+)\((.*)\)\s+= -1 (E\w+)/.exec(whole) ?? [];
    const [, path] = /(?:^|AT_FDCWD, |sun_path=)"((?:[^"\\]|\\.)*)"/.exec(args) ?? [];
    return path === undefined ? [] : [{ call, path, flags: args, error }];
  });
}
