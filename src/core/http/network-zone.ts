import { BlockList, isIPv4, isIPv6 } from "node:net";

/** `barred`: no server can be there. Cloud metadata and other link-local, multicast and reserved ranges. */
export type NetworkZone = "public" | "loopback" | "private" | "barred";

const loopbackRanges = blockListOf(["127.0.0.0/8", "::1/128"]);

const privateRanges = blockListOf(["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]);

/** IANA's special-purpose registries, without those above, and the metadata services of clouds. */
const barredRanges = blockListOf([
  "0.0.0.0/8",
  "169.254.0.0/16",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "::/128",
  "64:ff9b:1::/48",
  "100.100.100.200/32",
  "168.63.129.16/32",
  "fd00:ec2::254/128",
  "fd20:ce::254/128",
  "100::/64",
  "2001::/23",
  "2001:db8::/32",
  "3fff::/20",
  "5f00::/16",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
]);

/** The assigned ranges of IPv6, public and private. The rest is unused, or carries an IPv4 address. */
const assignedRanges = blockListOf(["2000::/3", "fc00::/7"]);

/** Ranges whose addresses carry an IPv4 address, with its byte offset: they are judged by that address. */
const ipv4CarryingRanges: readonly (readonly [BlockList, number])[] = [
  [blockListOf(["::ffff:0:0/96"]), 12],
  [blockListOf(["::/96"]), 12],
  [blockListOf(["64:ff9b::/96"]), 12],
  [blockListOf(["2002::/16"]), 2],
];

/** `barred` if the text is not an address. */
export function networkZoneOf(address: string): NetworkZone {
  const plain = address.replace(/%.*$/, "");
  if (isIPv4(plain)) return zoneIn(plain, "ipv4");
  if (!isIPv6(plain)) return "barred";
  if (loopbackRanges.check(plain, "ipv6")) return "loopback";
  if (barredRanges.check(plain, "ipv6")) return "barred";
  const carried = ipv4CarryingRanges.find(([range]) => range.check(plain, "ipv6"));
  if (carried) return zoneIn([...bytesOf(plain).subarray(carried[1], carried[1] + 4)].join("."), "ipv4");
  return assignedRanges.check(plain, "ipv6") ? zoneIn(plain, "ipv6") : "barred";
}

function zoneIn(address: string, family: "ipv4" | "ipv6"): NetworkZone {
  if (loopbackRanges.check(address, family)) return "loopback";
  if (barredRanges.check(address, family)) return "barred";
  return privateRanges.check(address, family) ? "private" : "public";
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", bits = ""] = range.split("/");
    list.addSubnet(network, Number(bits), network.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}

function bytesOf(address: string): Uint8Array {
  // The URL parser writes the canonical form, with an IPv4 tail in hexadecimal.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = "", tail] = text.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const all = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
