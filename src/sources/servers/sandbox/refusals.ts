import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FullCage } from "../../../core/process/cage/cage.ts";
import { visibleText } from "../../../core/text/peer-text.ts";

export interface RefusalsOptions {
  readonly cage: Pick<FullCage, "home" | "kept" | "read" | "write" | "network">;
  /** Never to be given to a server. */
  readonly closedFolders: readonly string[];
}

const maxRefusals = 5;
const maxLine = 2000;

/**
 * What the cage refused according to what a program says, with what to add to its settings; for the user, who decides. A
 * program can say anything, so only paths that exist and hosts are taken from it.
 */
export function refusalsIn(text: string, options: RefusalsOptions): readonly string[] {
  const { network } = options.cage;
  const found = text.split("\n").flatMap((line) => {
    const short = line.slice(0, maxLine);
    const paths = pathsIn(short);
    return [
      ...(/EROFS|read-only file system/i.test(short) ? paths.flatMap((path) => readOnly(path, options)) : []),
      ...paths.filter((path) => isHidden(path, options)).map(hidden),
      ...(network === "host" ? [] : hostsIn(short).map((host) => unreached(host, network))),
    ];
  });
  return [...new Set(found)].slice(0, maxRefusals);
}

function hidden(path: string): string {
  return `the sandbox hides ${shown(path)}: add it to \`sandbox.read\` or \`sandbox.write\``;
}

function readOnly(path: string, { cage, closedFolders }: RefusalsOptions): readonly string[] {
  if (isIn(path, closedFolders) || isIn(path, cage.write) || !existsSync(dirname(path))) return [];
  return [
    `the sandbox refused to write ${shown(path)}: add its folder to \`sandbox.write\`, or set the server up to write into its home folder`,
  ];
}

function unreached(host: string, network: "none" | "proxy"): string {
  return network === "none"
    ? `the sandbox has no network: add ${shown(host)} to \`sandbox.network\``
    : `the server looked for ${shown(host)} without the proxy of its sandbox: have it use HTTPS_PROXY, or set \`sandbox.network\` to true`;
}

/** Exists outside, but not in there. A folder that something in it is shown of is there. */
function isHidden(path: string, { cage, closedFolders }: RefusalsOptions): boolean {
  const { home, kept, read, write } = cage;
  const given = [...read, ...write];
  if (isIn(path, [...given, ...closedFolders, ...systemFolders])) return false;
  if ([...given, home, ...temporaryFolders].some((each) => isIn(each, [path]))) return false;
  if (isIn(path, [home]) && existsSync(join(kept, path.slice(home.length)))) return false;
  return existsSync(path);
}

const systemFolders = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/etc",
  "/opt",
  "/nix",
  "/gnu",
  "/proc",
  "/dev",
];
const temporaryFolders = ["/tmp", "/run", "/var/tmp"];

function isIn(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

function pathsIn(line: string): readonly string[] {
  const found = line.matchAll(/(?:^|file:\/\/|[\s'"`=(,[])(\/[^\s'"`\\,;:()[\]]+)/g);
  return [...found].map(([, path = ""]) => path.replace(/[./]+$/, "")).filter((path) => path !== "");
}

/** As the resolvers of Node and the C library name them. */
function hostsIn(line: string): readonly string[] {
  const found = line.matchAll(/\b(?:ENOTFOUND|EAI_AGAIN|could not resolve host:?) ([a-z\d_.-]{1,253})/gi);
  return [...found].map(([, host = ""]) => host);
}

function shown(text: string): string {
  return visibleText(text, 300);
}
