import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Fault } from "../../../core/fault.ts";
import { asRecord } from "../../../core/is-record.ts";
import type { Cage } from "../../../core/process/cage/cage.ts";
import type { Env } from "../../../core/process/child-env.ts";
import { runCommand } from "../../../core/process/run-command.ts";
import { quoted } from "../../../core/text/peer-text.ts";

export interface LocatePackageOptions {
  readonly env: Env;
  /** npm runs in this cage: what a package does while it is installed sees no more than a server does. */
  readonly cage: Cage;
}

const downloadMs = 120_000;
const maxOutputBytes = 1024 * 1024;

/**
 * The file that Node runs, with its arguments, to do what `npx` would do with these words. npm puts the package into its cache first if it
 * is not there: in a cage without that cache, `npx` itself would wait for a network that it does not have.
 */
export async function locatePackage(
  words: readonly string[],
  options: LocatePackageOptions,
): Promise<readonly string[]> {
  const { spec, command, args } = parseNpx(words);
  const name = /^(@?[^@]+)/.exec(spec)?.[1] ?? spec;
  const program = {
    command: "npm",
    args: ["exec", "--yes", `--package=${spec}`, "--", "sh", "-c", 'echo "$PATH"'],
    env: {},
    cage: options.cage,
  };
  const limits = { env: options.env, signal: AbortSignal.timeout(downloadMs), timeoutMs: downloadMs, maxOutputBytes };
  const path = (await runCommand(program, limits)).toString().trim().split("\n").at(-1) ?? "";
  const folder = dirname(path.split(":").find((each) => each.endsWith("/node_modules/.bin")) ?? "");
  const { bin } = readPackage(join(folder, name));
  const file = typeof bin === "string" ? bin : binNamed(asRecord(bin), command ?? basename(name));
  if (typeof file !== "string") throw new Fault("unavailable", `The package ${quoted(spec)} has no command to run.`);
  return [join(folder, name, file), ...args];
}

function readPackage(folder: string): Readonly<Record<string, unknown>> {
  try {
    return asRecord(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
  } catch (cause) {
    throw new Fault("unavailable", `npm did not put the package into ${folder}.`, { cause });
  }
}

function binNamed(bins: Readonly<Record<string, unknown>>, name: string): unknown {
  return bins[name] ?? Object.values(bins)[0];
}

interface NpxWords {
  readonly spec: string;
  readonly command?: string | undefined;
  readonly args: readonly string[];
}

/** `npx [-y] [--package <spec>] [--] <spec or command> …` */
export function parseNpx(words: readonly string[]): NpxWords {
  let spec: string | undefined;
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const [, joined] = /^(?:--package|-p)=(.+)$/.exec(word) ?? [];
    if (joined !== undefined) spec = joined;
    else if (word === "-p" || word === "--package") spec = words[++index];
    else if (word === "--" || word.startsWith("-")) continue;
    else {
      const args = words.slice(index + 1);
      return spec === undefined ? { spec: word, args } : { spec, command: word, args };
    }
  }
  throw new Fault("config", "The `args` of npx name no package.");
}
