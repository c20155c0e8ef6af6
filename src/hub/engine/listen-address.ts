import type { NetworkInterfaceInfo } from "node:os";
import { Fault } from "../../core/fault.ts";
import { isLoopbackHost } from "../../core/http/addresses.ts";
import { bracketedHost } from "../../core/http/listen.ts";

export interface ListenRequest {
  readonly host: string;
  readonly allowRemote: boolean;
}

const wildcards = new Set(["0.0.0.0", "::"]);

/** Opening the hub to a network takes an explicit flag: the address alone is not enough. */
export function requireRemoteConsent({ host, allowRemote }: ListenRequest): void {
  if (isLoopbackHost(host) || allowRemote) return;
  throw new Fault(
    "usage",
    `${host} lets other machines call tools with a token, unencrypted. If you want that, add --allow-remote.`,
    { detail: { host } },
  );
}

/** The names that clients may send in `Host`: those under which this machine is reached at that address. */
export function hostNames(
  host: string,
  machine: string,
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>,
): readonly string[] {
  if (!wildcards.has(host)) return [bracketedHost(host)];
  const addresses = Object.values(interfaces).flatMap((each) => each ?? []);
  return [machine, ...addresses.map(({ address }) => bracketedHost(address))];
}

/** Clients can't connect to a wildcard address. */
export function reachableHost(host: string): string {
  return wildcards.has(host) ? "127.0.0.1" : bracketedHost(host);
}
