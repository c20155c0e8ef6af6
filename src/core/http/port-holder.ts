import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { Fault } from "../fault.ts";
import { isLoopbackHostname } from "./addresses.ts";
import { judgeListener, type ListeningSocket, parseListeners } from "./judge-listener.ts";

/** Undefined where the system does not list them: only Linux does. */
function readListeners(): readonly ListeningSocket[] | undefined {
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(readOr);
  return tables[0] === undefined ? undefined : tables.flatMap((table) => parseListeners(table ?? ""));
}

export interface KeyTarget {
  /** IPv6 with or without brackets. */
  readonly host: string;
  readonly port: number;
  /** Whose key it is: `OpenClaw's gateway`. */
  readonly what: string;
  /** What the user can do about a foreign program there, as a sentence. */
  readonly advice: string;
  /** Who may listen there beside this user and root. */
  readonly owner?: number | undefined;
}

/**
 * Call it right before a connection over which a key is sent to a TCP address. Faults with `denied` if the port is held by
 * another user, who would get the key. `unknown`: on another machine, or on a system that does not say. `absent`: no
 * program here listens, so that one of another user could be first; a port that root forwards from a container looks so.
 */
export function requireTrustedHolder({ host, port, what, advice, owner }: KeyTarget): "trusted" | "absent" | "unknown" {
  const uid = process.geteuid?.();
  if (uid === undefined || !isLocalName(host)) return "unknown";
  const trusted = [uid, 0, ...(owner === undefined ? [] : [owner])];
  const verdict = judgeListener({ host, port }, readListeners(), trusted);
  if (verdict.holder !== "other") return verdict.holder;
  const holder = userText(verdict.uid);
  const message = `Port ${port} of this machine is held by ${holder}, not by you. The key for ${what} was not sent there. ${advice}`;
  throw new Fault("denied", message, { detail: { port, uid: verdict.uid } });
}

function isLocalName(host: string): boolean {
  return host === "::1" || isLoopbackHostname(host);
}

/** `another program of the user ann (UID 1000), PID 7`; no more than `another program` if the system does not say. */
export function holderOf(port: number): string {
  const found = readListeners()?.find((socket) => socket.port === port);
  if (found === undefined) return "another program";
  const pid = findPid(found.inode);
  return `another program of ${userText(found.uid)}${pid === undefined ? "" : `, PID ${pid}`}`;
}

function userText(uid: number): string {
  const line = readOr("/etc/passwd")
    ?.split("\n")
    .find((each) => each.split(":")[2] === String(uid));
  const name = line?.split(":")[0];
  return name === undefined ? `the user with UID ${uid}` : `the user ${name} (UID ${uid})`;
}

/** Only root sees the files of other users' processes. */
function findPid(inode: string): string | undefined {
  const link = `socket:[${inode}]`;
  return list("/proc").find(
    (pid) => /^\d+$/.test(pid) && list(`/proc/${pid}/fd`).some((fd) => target(`/proc/${pid}/fd/${fd}`) === link),
  );
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function target(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function readOr(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
