import { Fault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { hasNoRoom } from "../../core/files/write-when-room.ts";
import type { SocketPlace } from "../../core/http/socket-agent.ts";
import type { Secret } from "../../core/secrets/secret.ts";
import type { HubKeyName } from "../../doors/mcp/gate.ts";
import { hubKeyPath, readHubKey } from "../../doors/mcp/hub-keys.ts";
import { findRunningHub, findRunningProcess, type HubRecord } from "./hub-record.ts";

/** A running hub, and a key that it takes at its socket. */
export interface RunningHub {
  /** Where other programs reach it, without a path: `http://127.0.0.1:8765`. Nothing of ours is sent there. */
  readonly address: string;
  /** For messages: `the hub at http://127.0.0.1:8765`. */
  readonly name: string;
  readonly socket: SocketPlace;
  readonly key: Secret;
}

/**
 * The hub that runs on this state folder; undefined if none does. Faults with `unauthorized` if it can't be asked: it is
 * of an earlier version, or its key is missing.
 */
export async function findHub(home: Home, key: HubKeyName): Promise<RunningHub | undefined> {
  const running = await findRunningHub(home);
  return running && hubOf(running, home, key);
}

/** The same, and a node that serves no MCP clients, too: it answers the owner's questions, and has no tools to call. */
export async function findHubOrNode(home: Home): Promise<RunningHub | undefined> {
  const running = await findRunningProcess(home);
  if (running?.address !== undefined) return hubOf({ ...running, address: running.address }, home, "control");
  if (running?.socket === undefined) return undefined;
  return {
    ...hubOf({ ...running, address: "http://localhost" }, home, "control"),
    name: `the node (PID ${running.pid})`,
  };
}

/** Faults with `unauthorized` if the hub can't be asked. */
export function hubOf(record: HubRecord, home: Home, name: HubKeyName): RunningHub {
  const { address, socket } = record;
  if (socket === undefined) throw new Fault("unauthorized", earlierVersion(record));
  const path = hubKeyPath({ home }, name);
  const key = readHubKey(path);
  if (key === undefined) {
    // Then the hub has its keys in memory only, and saves them once there is space.
    const next = hasNoRoom(home.path)
      ? "The disk is full. Free some space, wait a few seconds, and try again."
      : restart(record);
    throw new Fault("unauthorized", `A hub runs at ${address}, but its key is not in ${path}. ${next}`);
  }
  return { address, name: `the hub at ${address}`, socket: { path: socket, home: home.path }, key };
}

function earlierVersion(record: HubRecord): string {
  return `The hub at ${record.address} (PID ${record.pid}) is of an earlier version. ${restart(record)}`;
}

function restart({ host }: Pick<HubRecord, "host">): string {
  return host === "openclaw"
    ? "Restart OpenClaw's gateway: `openclaw gateway restart`."
    : "Restart it: `clawport stop`, then `clawport up`.";
}
