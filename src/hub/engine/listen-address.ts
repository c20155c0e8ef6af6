import type { NetworkInterfaceInfo } from "node:os";
import { Fault } from "../../core/fault.ts";
import { isLoopbackHost } from "../../core/http/addresses.ts";
import { bracketedHost } from "../../core/http/listen.ts";

export interface ListenRequest {
  readonly host: string;
  readonly allowRemote: boolean;
}

const wildcards = new Set(["0.0.0.0", "::"]);

/** Nobody opens the hub to a network by accident: the address alone is not enough. */
export function requireRemoteConsent({ host, allowRemote }: ListenRequest): void {
  if (isLoopbackHost(host) || allowRemote) return;
  throw new Fault(
    "usage",
    `${host} would let other machines call tools with a token, unencrypted; if you want that, add --allow-remote`,
    { detail: { host } },
  );
}

/** What clients may write into `Host`: the names under which this machine is reached at that address. */
export function hostNames(
  host: string,
  machine: string,
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>,
): readonly string[] {
  if (!wildcards.has(host)) return [bracketedHost(host)];
  const addresses = Object.values(interfaces).flatMap((each) => each ?? []);
  return [machine, ...addresses.map(({ address }) => bracketedHost(address))];
}

/** An address that means every one of this machine is none that a client can connect to. */
export function reachableHost(host: string): string {
  return wildcards.has(host) ? "127.0.0.1" : bracketedHost(host);
}
