import { existsSync, mkdirSync, realpathSync, statfsSync, statSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import type { CageConfig } from "../../../core/config/sandbox-config.ts";
import { Fault } from "../../../core/fault.ts";
import type { FilteringProxy } from "../../../core/http/filtering-proxy.ts";
import type { Log } from "../../../core/log.ts";
import type { FullCage, StateCage } from "../../../core/process/cage/cage.ts";
import { childEnv, type Env } from "../../../core/process/child-env.ts";
import { quoted } from "../../../core/text/peer-text.ts";
import type { StdioTarget } from "../definition.ts";
import { plantedLink } from "./planted-link.ts";
import { findProgramFiles } from "./program-files.ts";
import { grantedPaths } from "./session-services.ts";
import { type Refused, refusalText, refusalsIn } from "./refusals.ts";

export interface FullCageOptions {
  readonly target: StdioTarget;
  readonly given: CageConfig;
  /** Where what the server writes into its home folder is kept. */
  readonly kept: string;
  /** What is hidden from every server; npm runs in this when it fetches the server's package. */
  readonly stateCage: StateCage;
  readonly env: Env;
  readonly homedir: string;
  readonly log: Log;
  /** Something was refused, for the user who reads the server's output. */
  note(line: string): void;
  readonly trial?: CageTrial | undefined;
}

/** Watches what a cage refuses, to find out what its server needs. */
export interface CageTrial {
  /** Its home folder, instead of the server's own: what is mounted there leaves empty files, which would hide what is missing. */
  readonly kept: string;
  onRefused(refused: Refused, from: "settings" | "server"): void;
  /** Starts this instead of the program: what traces it, and its command line. */
  trace?(line: readonly string[], home: string): readonly string[];
}

export async function makeFullCage(options: FullCageOptions): Promise<FullCage> {
  const { target, given, kept, stateCage, env, homedir, note, trial } = options;
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  const literal = (path: string): string => resolve(path.replace(/^~(?=$|\/)/, () => homedir));
  const expand = (path: string): string | undefined => realOf(literal(path));
  const read = given.read.flatMap((path) => expand(path) ?? missing(path, note));
  const write = given.write.flatMap((path) => expand(path) ?? missing(path, note));
  const cwd = target.cwd === undefined ? undefined : realOf(target.cwd);
  const ownFolder = cwd !== undefined && cwd.startsWith(`${homedir}/`) ? [cwd] : [];
  const realPath = (path: string, folders: readonly string[] = [...write, ...ownFolder]): string => {
    const link = plantedLink(path, folders);
    if (link === undefined) return realpathSync(path);
    throw new Fault(
      "denied",
      `The server can change the link ${quoted(link)}, so its sandbox can't show what it leads to.`,
    );
  };
  const exists = (path: string): boolean => realOf(path) !== undefined;
  given.read
    .map(literal)
    .filter(exists)
    .forEach((path) => realPath(path));
  // What a planted link leads to must not count as a folder that may be written anyway.
  for (const path of [...given.write, target.cwd ?? homedir].map(literal).filter(exists))
    realPath(
      path,
      [...write, ...ownFolder].filter((each) => each !== realOf(path)),
    );
  const files = await findProgramFiles(target.command, target.args, {
    env: { ...childEnv(env), ...target.env },
    cwd: cwd ?? process.cwd(),
    homedir,
    realPath: (path) => realPath(path),
    async locatePackage(words) {
      const { locatePackage } = await import("./locate-package.ts");
      return locatePackage(words, { env, cage: stateCage });
    },
  });
  const sockets = grantedPaths(target.env)
    .filter(exists)
    .map((path) => realPath(path));
  const proxies: FilteringProxy[] = [];
  const hosts = Array.isArray(given.network) ? given.network : undefined;
  const noted = new Set<string>();
  const cage: FullCage = {
    kind: "on",
    home: homedir,
    kept,
    read: [...read, ...(files?.read ?? []), ...sockets],
    write: [...write, ...ownFolder],
    closed: stateCage.closedFolders,
    fixedFiles: stateCage.fixedFiles,
    anchors: stateCage.anchors,
    network: given.network === true ? "host" : hosts === undefined ? "none" : "proxy",
    cwd: ownFolder[0] ?? homedir,
    env: await cageEnv(given, env, homedir),
    instead: files && (trial?.trace?.(files.line, homedir) ?? files.line),
    limits: given.limits,
    isRoot: stateCage.isRoot,
    ...(hosts !== undefined && {
      async onOpen(init: number) {
        const { openCageNetwork } = await import("./cage-network.ts");
        const onRefused = (to: string, why: string): void => {
          note(`the sandbox refused ${to}: it ${why}`);
          trial?.onRefused({ kind: "host", host: to, isDirect: false }, "server");
        };
        proxies.push(await openCageNetwork(init, { network: hosts, log: options.log, onRefused }));
      },
    }),
    onStart(stop) {
      const end = watchDisk(kept, given.limits.freeDisk, (free) => {
        note(`the server was stopped: only ${free} bytes are free on the disk with its folder`);
        stop();
      });
      return () => {
        end();
        for (const proxy of proxies.splice(0)) void proxy.close();
      };
    },
    explain: (said) => explain(said, "server"),
  };

  function explain(said: string, from: "settings" | "server"): readonly string[] {
    // Not what was noted here before.
    const refused = refusalsIn(said.replaceAll(/^clawport: .*$/gm, ""), {
      cage,
      closedFolders: stateCage.closedFolders,
    });
    for (const each of refused) trial?.onRefused(each, from);
    const lines = refused.map((each) => refusalText(each, cage.network));
    for (const line of lines) if (!noted.has(line)) note(line);
    lines.forEach((line) => noted.add(line));
    return lines;
  }

  // A file that it only misses later, or makes anew in its own home folder.
  const words = [...(files?.line ?? target.args), ...Object.values(target.env)];
  explain(words.flatMap(withFolder).join("\n"), "settings");
  return cage;
}

/** A file that is not there yet is written into its folder. */
function withFolder(word: string): readonly string[] {
  return isAbsolute(word) && !existsSync(word) ? [word, dirname(word)] : [word];
}

/** Of the variables that every command gets, those that say something about folders and networks outside. */
const outside = /^(?:TMPDIR|XDG_\w+|NPM_CONFIG_GLOBALCONFIG)$/i;
const outsideNetwork = /^(?:https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i;

async function cageEnv(
  { env: names, network }: CageConfig,
  env: Env,
  homedir: string,
): Promise<Record<string, string>> {
  const isKept = (name: string): boolean => !outside.test(name) && (network === true || !outsideNetwork.test(name));
  const kept = Object.entries(childEnv(env)).filter(([name]) => isKept(name));
  const named = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  const proxy = Array.isArray(network) ? (await import("./cage-network.ts")).proxyEnv : {};
  return { ...Object.fromEntries([...kept, ...named]), HOME: homedir, ...proxy };
}

const diskMs = 1000;

/** A server may fill its own folder, but not the disk. */
function watchDisk(folder: string, floor: number, onFull: (free: number) => void): () => void {
  const timer = setInterval(() => {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize >= floor) return;
    clearInterval(timer);
    onFull(bavail * bsize);
  }, diskMs).unref();
  return () => clearInterval(timer);
}

function realOf(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? undefined : realpathSync(path);
}

function missing(path: string, note: (line: string) => void): [] {
  note(`${path} in \`sandbox\` does not exist`);
  return [];
}
