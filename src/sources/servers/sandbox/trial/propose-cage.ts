import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { CageConfig } from "../../../../core/config/sandbox-config.ts";
import { visibleText } from "../../../../core/text/peer-text.ts";
import { isIn, type Refused } from "../refusals.ts";

/** Something that a cage refused, and who named it: the owner, in the server's settings, or the server itself. */
export interface CageNeed {
  readonly refused: Refused;
  readonly from: "settings" | "server";
}

export interface CageProposal {
  readonly cage: CageConfig;
  /** What was added, in words. */
  readonly added: readonly string[];
  /** What was asked for and is not proposed, with the reason. */
  readonly withheld: readonly string[];
}

export interface ProposeOptions {
  readonly home: string;
  /** What belongs to the server's program. */
  readonly program: readonly string[];
  readonly isFolder?: (path: string) => boolean;
}

type Grant = { readonly key: "read" | "write" | "network"; readonly value: string } | { readonly withheld: string };

/** A cage with what it refused, except what no server should get because it says so. */
export function proposeCage(cage: CageConfig, needs: readonly CageNeed[], options: ProposeOptions): CageProposal {
  const grants = needs.map((need) => judgeNeed(need, options));
  const withheld = grants.flatMap((grant) => ("withheld" in grant ? grant.withheld : []));
  const found = grants.flatMap((grant) => ("withheld" in grant ? [] : grant));
  const write = merge(
    cage.write,
    found.flatMap(({ key, value }) => (key === "write" ? value : [])),
    options.home,
  );
  const read = merge(cage.read, found.flatMap(({ key, value }) => (key === "read" ? value : [])), options.home)
    .filter((path) => !isIn(path, write) || cage.read.includes(path)); // prettier-ignore
  const hosts = found.flatMap(({ key, value }) => (key === "network" ? value : []));
  const present = Array.isArray(cage.network) ? cage.network : [];
  const all = [...new Set([...present, ...hosts])];
  const proposal = { ...cage, read, write, network: cage.network === true || all.length === 0 ? cage.network : all };
  const added = [
    ...read.filter((path) => !cage.read.includes(path)).map((path) => `read ${path}`),
    ...write.filter((path) => !cage.write.includes(path)).map((path) => `write ${path}`),
    ...all.filter((host) => !present.includes(host)).map((host) => `network ${host}`),
  ];
  return {
    cage: proposal,
    added,
    withheld: [...new Set(withheld)],
  };
}

/** Keys, passwords, histories, and where other programs keep their sign-ins. */
const sensitive =
  /\/\.(?:ssh|gnupg|aws|azure|kube|docker|netrc|pgpass|git-credentials|password-store|mozilla|npmrc|pypirc|\w+_history)(?:\/|$)|\/\.config\/(?:gcloud|gh|google-chrome|chromium|BraveSoftware)(?:\/|$)|\/\.local\/share\/keyrings(?:\/|$)|\/\.env$/;

function judgeNeed({ refused, from }: CageNeed, options: ProposeOptions): Grant {
  const { home, program, isFolder = isRealFolder } = options;
  if (refused.kind === "host") return judgeHost(refused);
  const path = refused.kind === "read-only" ? dirname(refused.path) : refused.path;
  const named = visibleText(path, 300);
  if (isIn(home, [path])) return { withheld: `${named}: that is too much; name the folders in it that it needs` };
  if (refused.kind === "read-only" && isIn(path, [...program, "/usr", "/etc", "/opt"]))
    return { withheld: `writing into ${named}: programs are there; set the server up to write into its home folder` };
  if (from === "server" && sensitive.test(path))
    return {
      withheld: `${named}: it may hold keys or passwords; add it to \`read\` yourself if the server should have them`,
    };
  // A folder that the owner hands to a server is what the server works on.
  const isWritten = refused.kind === "read-only" || refused.isWrite === true || (from === "settings" && isFolder(path));
  return { key: isWritten ? "write" : "read", value: path };
}

function judgeHost({ host, isDirect }: Refused & { kind: "host" }): Grant {
  const target = targetOf(host);
  const named = visibleText(host, 300);
  if (target === undefined) return { withheld: `${named}: it is not a host on the network` };
  if (isDirect)
    return { withheld: `${named}: the server does not use its proxy for it; only \`network: true\` would help` };
  return { key: "network", value: target };
}

/** As `sandbox.network` has it; undefined for what is not a name, such as an address of this computer. */
function targetOf(target: string): string | undefined {
  const url = URL.parse(/^https?:\/\//.test(target) ? target : `tunnel://${target}`);
  if (url === null || !/[a-z]/i.test(url.hostname) || url.hostname === "localhost" || url.hostname.includes(":"))
    return undefined;
  return ["", "443", "80"].includes(url.port) ? url.hostname : `${url.hostname}:${url.port}`;
}

const maxSiblings = 3;

/** More than a few files of one folder are the folder. */
function merge(present: readonly string[], added: readonly string[], home: string): string[] {
  const fresh = added.filter((path) => !isIn(path, present));
  const isCrowded = (folder: string): boolean =>
    !isIn(home, [folder]) && new Set(fresh.filter((path) => dirname(path) === folder)).size > maxSiblings;
  const all = fresh.map((path) => (isCrowded(dirname(path)) ? dirname(path) : path));
  const outermost = all.filter((path) => !all.some((other) => other !== path && isIn(path, [other])));
  return [...new Set([...present, ...outermost])];
}

function isRealFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
