import { lstatSync, type Stats, statSync } from "node:fs";
import type { Agent } from "node:http";
import { dirname } from "node:path";
import { Fault } from "../fault.ts";
import { CheckedAgent } from "./checked-agent.ts";

/** Where a hub takes connections of its owner's processes: a Unix socket, or a named pipe on Windows. */
export interface SocketPlace {
  readonly path: string;
  /** The state folder of the hub. */
  readonly home: string;
}

/** Connects to the socket, whatever address a request names. Keeps connections open between requests. */
export function createSocketAgent(place: SocketPlace): Agent {
  return new CheckedAgent(() => requireOwnSocket(place), place.path);
}

/**
 * A socket in the state folder can't be another user's. One elsewhere must be in a folder of the same owner that others
 * can't enter, checked with each connection: temporary folders are removed, and another user could make one anew.
 */
function requireOwnSocket({ path, home }: SocketPlace): void {
  const folder = dirname(path);
  if (process.platform === "win32" || folder === home) return;
  const problem = judgeSocketFolder(lstatSync(folder), statSync(home).uid);
  if (problem !== undefined)
    throw new Fault("denied", `The folder of the hub's socket, ${folder}, ${problem}. Start the hub again.`);
}

type FolderFacts = Pick<Stats, "uid" | "mode"> & { isDirectory(): boolean };

/** What is wrong with the folder of a socket, as the rest of a sentence; undefined if only its owner can enter it. */
export function judgeSocketFolder(folder: FolderFacts, owner: number): string | undefined {
  if (!folder.isDirectory()) return "is not a folder";
  if (folder.uid !== owner) return "belongs to another user";
  return (folder.mode & 0o077) === 0 ? undefined : "can be entered by other users";
}
