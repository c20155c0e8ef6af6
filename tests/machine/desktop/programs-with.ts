import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/** The names of the programs that run with this text in their arguments, such as the folder they write to. */
export function programsWith(text: string): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const [program = "", ...args] = commandLine(pid);
    return args.some((word) => word.includes(text)) ? [basename(program)] : [];
  });
}

/** Empty for a zombie and for a process that has just ended. */
function commandLine(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}
