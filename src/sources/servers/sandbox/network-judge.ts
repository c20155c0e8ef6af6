import { isIP } from "node:net";
import { type NetworkTarget, parseNetworkTarget } from "../../../core/config/sandbox-config.ts";
import type { ProxyJudge, Refusal } from "../../../core/http/filtering-proxy.ts";
import { networkZoneOf } from "../../../core/http/network-zone.ts";

/** Lets pass what the `network` of a sandbox names. */
export function createNetworkJudge(network: readonly string[]): ProxyJudge {
  const targets = network.flatMap((text) => parseNetworkTarget(text) ?? []);
  const judge = (host: string, port: number): Refusal =>
    targets.some((target) => isMeant(target, host, port)) ? undefined : "is not in `sandbox.network`";
  return {
    url(url) {
      if (url.username !== "" || url.password !== "") return "holds a user name or a password";
      return judge(plainHost(url.hostname), Number(url.port) || 80);
    },
    tunnel(authority) {
      const url = URL.parse(`tunnel://${authority}`);
      return url === null || url.port === ""
        ? "is not a host and port"
        : judge(plainHost(url.hostname), Number(url.port));
    },
    // A name that leads to this computer or a private network would let who answers for it in the DNS choose what is
    // reached there. An address that is named itself is the owner's word.
    address: (host, address) =>
      isIP(host) !== 0 || networkZoneOf(address) === "public"
        ? undefined
        : "resolves to this computer or a private network",
  };
}

function isMeant({ host, ports }: NetworkTarget, given: string, port: number): boolean {
  const name = given.replace(/\.$/, "");
  const isHost = host.startsWith("*.") ? name.endsWith(host.slice(1)) && name !== host.slice(2) : name === host;
  return isHost && ports.includes(port);
}

function plainHost(hostname: string): string {
  return hostname.toLowerCase().replace(/^\[|\]$/g, "");
}
