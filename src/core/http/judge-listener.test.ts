import { endianness } from "node:os";
import { expect, test } from "vitest";
import { judgeListener, type ListeningSocket, parseListeners } from "./judge-listener.ts";

const me = 1000;
const other = 1001;
const v6 = (last: number): string => `0:0:0:0:0:0:0:${last}`;
const at = (address: string, uid: number, port = 80): ListeningSocket => ({ address, port, uid, inode: "1" });

test.each<[string, string, readonly ListeningSocket[] | undefined, object]>([
  ["the system does not say", "127.0.0.1", undefined, { holder: "unknown" }],
  ["no program", "127.0.0.1", [at("127.0.0.1", me, 81)], { holder: "absent" }],
  ["this user", "127.0.0.1", [at("127.0.0.1", me)], { holder: "trusted" }],
  ["root", "127.0.0.1", [at("0.0.0.0", 0)], { holder: "trusted" }],
  ["another user", "127.0.0.1", [at("127.0.0.1", other)], { holder: "other", uid: other }],
  ["another user, for all addresses", "127.0.0.1", [at("0.0.0.0", other)], { holder: "other", uid: other }],
  ["another user, for both families", "127.0.0.1", [at(v6(0), other)], { holder: "other", uid: other }],
  ["this user before all others", "127.0.0.1", [at(v6(0), other), at("127.0.0.1", me)], { holder: "trusted" }],
  ["another user before this one", "127.0.0.1", [at("0.0.0.0", me), at("127.0.0.1", other)], { holder: "other" }],
  ["another loopback address", "127.0.0.2", [at("127.0.0.1", other)], { holder: "absent" }],
  ["IPv6", "::1", [at(v6(1), other), at("127.0.0.1", me)], { holder: "other" }],
  ["IPv6 in brackets", "[::1]", [at(v6(1), me)], { holder: "trusted" }],
  ["a name, one family each", "localhost", [at("127.0.0.1", me), at(v6(1), other)], { holder: "other" }],
  ["a name", "localhost", [at("127.0.0.1", me)], { holder: "trusted" }],
])("%s holds the port: %s", (_, host, sockets, verdict) => {
  expect(judgeListener({ host, port: 80 }, sockets, [me, 0])).toMatchObject(verdict);
});

test.runIf(endianness() === "LE")("the kernel's tables are read, and only what listens", () => {
  const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";
  const row = (local: string, state: string) =>
    `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 77 1 0 100 0 0 10 0`;
  const zero = "00000000";
  const table = [
    head,
    row("0100007F:2235", "0A"),
    row("0100007F:2236", "01"),
    row(`${zero.repeat(3)}01000000:2237`, "0A"),
    row(`${zero.repeat(2)}FFFF00000100007F:2238`, "0A"),
    "nonsense",
  ].join("\n");
  expect(parseListeners(table)).toEqual([
    { address: "127.0.0.1", port: 0x2235, uid: 1000, inode: "77" },
    { address: v6(1), port: 0x2237, uid: 1000, inode: "77" },
    { address: "127.0.0.1", port: 0x2238, uid: 1000, inode: "77" },
  ]);
});
