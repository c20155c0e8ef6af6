import { endianness } from "node:os";

/** A socket of this machine that takes connections. */
export interface ListeningSocket {
  /** IPv4 in dots, IPv6 as eight groups in lower case; the mapped form of an IPv4 address as that address. */
  readonly address: string;
  readonly port: number;
  readonly uid: number;
  readonly inode: string;
}

/** `absent`: no program here listens there. `unknown`: the system does not say. */
export type ListenerVerdict =
  | { readonly holder: "trusted" | "absent" | "unknown" }
  | { readonly holder: "other"; readonly uid: number };

const anyV4 = "0.0.0.0";
const anyV6 = groups("0");
const loopbackV6 = groups("1");

/**
 * Who takes a connection to this host and port of this machine. As the kernel does, an exact address is preferred to one
 * that stands for all. A name may mean both families, so both are judged.
 */
export function judgeListener(
  { host, port }: { readonly host: string; readonly port: number },
  sockets: readonly ListeningSocket[] | undefined,
  trusted: readonly number[],
): ListenerVerdict {
  if (sockets === undefined) return { holder: "unknown" };
  const atPort = sockets.filter((socket) => socket.port === port);
  const holders = addressesOf(host).flatMap((choices) => {
    const chosen = choices.find((address) => atPort.some((socket) => socket.address === address));
    return atPort.filter(({ address }) => address === chosen);
  });
  const other = holders.find(({ uid }) => !trusted.includes(uid));
  if (other !== undefined) return { holder: "other", uid: other.uid };
  return { holder: holders.length === 0 ? "absent" : "trusted" };
}

/** For each family, the local addresses that take the connection, the preferred one first. */
function addressesOf(host: string): readonly (readonly string[])[] {
  const v6 = [loopbackV6, anyV6];
  if (host === "::1" || host === "[::1]") return [v6];
  if (/^127\.\d+\.\d+\.\d+$/.test(host)) return [[host, anyV4, anyV6]];
  return [["127.0.0.1", anyV4, anyV6], v6];
}

/** The listening sockets in a text of `/proc/net/tcp` or `/proc/net/tcp6`. */
export function parseListeners(table: string): readonly ListeningSocket[] {
  return table.split("\n").flatMap((line) => {
    const [, local = "", , state, , , , uid, , inode = ""] = line.trim().split(/\s+/);
    const [address = "", port = ""] = local.split(":");
    // 0A is LISTEN.
    if (state !== "0A" || !/^(?:[\dA-F]{8}|[\dA-F]{32})$/.test(address)) return [];
    return [{ address: readAddress(address), port: Number.parseInt(port, 16), uid: Number(uid), inode }];
  });
}

/** Each 32 bits are written as a number of this machine. */
function readAddress(hex: string): string {
  const bytes = Buffer.from(hex, "hex");
  if (endianness() === "LE") bytes.swap32();
  const isMapped = bytes.length === 16 && bytes.subarray(0, 12).toString("hex") === "00000000000000000000ffff";
  if (bytes.length === 4 || isMapped) return [...bytes.subarray(-4)].join(".");
  return Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16)).join(":");
}

function groups(last: string): string {
  return [...Array.from({ length: 7 }, () => "0"), last].join(":");
}
