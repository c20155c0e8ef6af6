import { isLoopbackHostname } from "../../../../core/http/addresses.ts";
import { type NetworkZone, networkZoneOf } from "../../../../core/http/network-zone.ts";
import { quoted } from "../../../../core/text/peer-text.ts";

export type TargetVerdict = { readonly pass: true } | { readonly pass: false; readonly reason: string };

const pass: TargetVerdict = { pass: true };

/**
 * Whether a URL that came from the network may be requested, or shown to the user, judged by its text. Plain http is allowed
 * on this machine only, and only if the configured server is on it too.
 */
export function judgeTarget(address: unknown, configured: URL): TargetVerdict {
  const url = address instanceof URL ? address : typeof address === "string" ? URL.parse(address) : null;
  if (url === null) return refuse(`${quoted(String(address))} is not a URL`);
  const isLocal = isLoopbackHostname(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLocal && isLoopbackHostname(configured.hostname)))
    return refuse(`${quoted(`${url.protocol}//${url.host}`)} is not https`);
  if (url.username !== "" || url.password !== "") return refuse(`the URL at ${quoted(url.host)} holds a password`);
  return pass;
}

/** Whether to connect to an address that a name resolved to. `ownZones` are the zones of the configured servers. */
export function judgeResolvedAddress(host: string, address: string, ownZones: ReadonlySet<NetworkZone>): TargetVerdict {
  const zone = networkZoneOf(address);
  if (zone === "public" || ownZones.has(zone)) return pass;
  const where = zone === "loopback" ? "this machine" : zone === "private" ? "a private network" : "a reserved address";
  return refuse(`${host} is ${host === address ? "" : `${address}, `}${where}, but the configured server is not there`);
}

function refuse(reason: string): TargetVerdict {
  return { pass: false, reason };
}
