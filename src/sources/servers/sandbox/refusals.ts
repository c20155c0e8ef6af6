import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FullCage } from "../../../core/process/cage/cage.ts";
import { visibleText } from "../../../core/text/peer-text.ts";

export interface RefusalsOptions {
  readonly cage: Pick<FullCage, "home" | "kept" | "read" | "write" | "network">;
  /** Never to be given to a server. */
  readonly closedFolders: readonly string[];
}

/** Something that a cage refused. */
export type Refused =
  | { readonly kind: "hidden" | "read-only"; readonly path: string; readonly isWrite?: boolean }
  /** `isDirect`: the program looked for it by itself, and not through the proxy of its cage. */
  | { readonly kind: "host"; readonly host: string; readonly isDirect: boolean };

const maxRefusals = 5;
const maxLine = 2000;

/**
 * What the cage refused according to what a program says. A program can say anything, so only paths that exist and hosts
 * are taken from it.
 */
export function refusalsIn(text: string, options: RefusalsOptions): readonly Refused[] {
  const { network } = options.cage;
  const found = text.split("\n").flatMap((line): Refused[] => {
    const short = line.slice(0, maxLine);
    const paths = pathsIn(short);
    const unwritten = /EROFS|read-only file system/i.test(short)
      ? paths.filter((path) => isReadOnly(path, options))
      : [];
    return [
      ...unwritten.map((path) => ({ kind: "read-only" as const, path })),
      ...paths.filter((path) => isHidden(path, options)).map((path) => ({ kind: "hidden" as const, path })),
      ...(network === "host" ? [] : hostsIn(short).map((host) => ({ kind: "host" as const, host, isDirect: true }))),
    ];
  });
  const first = new Map(found.map((each) => [JSON.stringify(each), each]));
  return [...first.values()].slice(0, maxRefusals);
}

/** With what to add to the settings; for the user, who decides. */
export function refusalText(refused: Refused, network: FullCage["network"]): string {
  if (refused.kind === "host")
    return network === "none"
      ? `the sandbox has no network: add ${shown(refused.host)} to \`sandbox.network\``
      : `the server looked for ${shown(refused.host)} without the proxy of its sandbox: have it use HTTPS_PROXY, or set \`sandbox.network\` to true`;
  if (refused.kind === "hidden")
    return `the sandbox hides ${shown(refused.path)}: add it to \`sandbox.read\` or \`sandbox.write\``;
  return `the sandbox refused to write ${shown(refused.path)}: add its folder to \`sandbox.write\`, or set the server up to write into its home folder`;
}

export function isReadOnly(path: string, { cage, closedFolders }: RefusalsOptions): boolean {
  return !isIn(path, closedFolders) && !isIn(path, cage.write) && existsSync(dirname(path));
}

/** Exists outside, but not in there. A folder that something in it is shown of is there. */
export function isHidden(path: string, { cage, closedFolders }: RefusalsOptions): boolean {
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

export function isIn(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

export function pathsIn(line: string): readonly string[] {
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
