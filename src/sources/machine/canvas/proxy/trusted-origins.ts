import { isIP } from "node:net";
import { Fault } from "../../../../core/fault.ts";
import { isLoopbackHostname } from "../../../../core/http/addresses.ts";
import { networkZoneOf } from "../../../../core/http/network-zone.ts";
import type { ProxyJudge, Refusal } from "../../../../core/http/filtering-proxy.ts";
import { quoted } from "../../../../core/text/peer-text.ts";

/** The origins that pages in the canvas may come from and talk to: scheme, host and port. */
export interface TrustedOrigins {
  readonly list: readonly string[];
  /** Whether a name may resolve to a private network. */
  readonly privateAddresses: boolean;
}

/** Lets pass what belongs to the trusted origins. */
export function createOriginJudge(trusted: TrustedOrigins): ProxyJudge {
  return {
    url: (url) => judgeUrl(url, trusted),
    tunnel: (authority) => judgeTunnel(authority, trusted),
    address: (host, address) => judgeTrustedAddress(host, address, trusted),
  };
}

/** Faults with `config` if one of the texts is not an origin. */
export function parseTrustedOrigins(texts: readonly string[], privateAddresses: boolean): TrustedOrigins {
  const list = texts.map((text) => {
    const url = URL.parse(text);
    if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
    throw new Fault(
      "config",
      `${quoted(text)} in \`machine.canvas.trustedOrigins\` is not an origin. Write it like https://example.com, without a path.`,
    );
  });
  return { list: [...new Set(list)], privateAddresses };
}

/** For a URL that a page is to come from, or that a page requests. */
export function judgeUrl(url: URL, { list }: TrustedOrigins): Refusal {
  if (url.protocol !== "http:" && url.protocol !== "https:") return "is not a web address";
  if (url.username !== "" || url.password !== "") return "holds a user name or a password";
  return list.includes(url.origin) ? undefined : notTrusted;
}

/**
 * For a tunnel, whose content can't be seen: WebSockets and https. `authority` is `host:port` as a browser writes it into
 * CONNECT.
 */
export function judgeTunnel(authority: string, { list }: TrustedOrigins): Refusal {
  const isSame = (origin: string): boolean => endpointOf(new URL(origin)) === authority;
  return list.some(isSame) ? undefined : notTrusted;
}

/**
 * For an address that the host of a trusted origin resolves to. A name that leads to this computer or to a private network
 * would let whoever answers for it in the DNS choose what the page reaches there.
 */
export function judgeTrustedAddress(host: string, address: string, { privateAddresses }: TrustedOrigins): Refusal {
  if (isIP(host) !== 0) return undefined;
  const zone = networkZoneOf(address);
  if (isLoopbackHostname(host)) return zone === "loopback" ? undefined : "does not resolve to this computer";
  if (zone === "public" || (zone === "private" && privateAddresses)) return undefined;
  if (zone === "private")
    return "resolves to a private network, and `machine.canvas.privateAddresses` does not allow that";
  return zone === "loopback" ? "resolves to this computer" : "resolves to a reserved address";
}

const notTrusted = "is not one of the trusted origins";

/** `host:port`, with the port written out. */
function endpointOf({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`;
}
