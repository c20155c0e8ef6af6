import { isLoopback } from "../../../../core/config/judge-address.ts";
import { quoted } from "../../../../core/quoted.ts";
import { type Zone, zoneOf } from "./address-zone.ts";

export type TargetVerdict = { readonly pass: true } | { readonly pass: false; readonly reason: string };

const pass: TargetVerdict = { pass: true };

/**
 * Whether an address that came from the network may be asked, or shown to a person, by its spelling. Plain http is for this machine,
 * and only where the configured server is on it too.
 */
export function judgeTarget(address: unknown, configured: URL): TargetVerdict {
  const url = address instanceof URL ? address : typeof address === "string" ? URL.parse(address) : null;
  if (url === null) return refuse(`${quoted(String(address))} is no address`);
  const isNear = isLoopback(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isNear && isLoopback(configured.hostname)))
    return refuse(`${quoted(`${url.protocol}//${url.host}`)} is not https`);
  if (url.username !== "" || url.password !== "") return refuse(`the address at ${quoted(url.host)} holds a password`);
  return pass;
}

/** Whether an address that a name resolved to may be connected to. `homes` are the zones of the configured servers. */
export function judgeAddressOf(host: string, address: string, homes: ReadonlySet<Zone>): TargetVerdict {
  const zone = zoneOf(address);
  if (zone === "public" || homes.has(zone)) return pass;
  const where = zone === "loopback" ? "this machine" : zone === "private" ? "a private network" : "a reserved address";
  return refuse(`${host} is ${host === address ? "" : `${address}, `}${where}, where the configured server is not`);
}

function refuse(reason: string): TargetVerdict {
  return { pass: false, reason };
}
