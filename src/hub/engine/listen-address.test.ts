import { expect, test } from "vitest";
import { hostNames, requireRemoteConsent } from "./listen-address.ts";

test.each(["127.0.0.1", "localhost", "::1", "127.8.8.8"])("%s needs no consent", (host) => {
  expect(() => requireRemoteConsent({ host, allowRemote: false })).not.toThrow();
});

test.each(["0.0.0.0", "::", "192.168.1.5", "127.0.0.1.example.com"])("%s needs consent", (host) => {
  expect(() => requireRemoteConsent({ host, allowRemote: false })).toThrow("--allow-remote");
  expect(() => requireRemoteConsent({ host, allowRemote: true })).not.toThrow();
});

test("a door to everywhere is reached under the machine's name and each of its addresses", () => {
  const address = { netmask: "", mac: "", internal: false, cidr: null };
  const interfaces = {
    eth0: [
      { ...address, address: "192.168.1.5", family: "IPv4" as const },
      { ...address, address: "fe80::1", family: "IPv6" as const, scopeid: 1 },
    ],
  };
  expect(hostNames("0.0.0.0", "box", interfaces)).toEqual(["box", "192.168.1.5", "[fe80::1]"]);
  expect(hostNames("192.168.1.5", "box", interfaces)).toEqual(["192.168.1.5"]);
});
