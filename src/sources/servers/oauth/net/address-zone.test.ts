import { expect, test } from "vitest";
import { zoneOf } from "./address-zone.ts";

test.each([
  ["8.8.8.8", "public"],
  ["2606:4700::1111", "public"],
  ["172.32.0.1", "public"],
  ["127.0.0.1", "loopback"],
  ["127.8.9.10", "loopback"],
  ["::1", "loopback"],
  ["::ffff:127.0.0.1", "loopback"],
  ["10.1.2.3", "private"],
  ["172.16.0.1", "private"],
  ["192.168.1.1", "private"],
  ["100.64.0.1", "private"],
  ["fd00::1", "private"],
  ["::ffff:10.0.0.1", "private"],
  ["64:ff9b::a00:1", "private"],
  ["2002:c0a8:101::1", "private"],
  ["169.254.169.254", "barred"],
  ["::ffff:169.254.169.254", "barred"],
  ["64:ff9b::a9fe:a9fe", "barred"],
  ["2002:a9fe:a9fe::1", "barred"],
  ["::a9fe:a9fe", "barred"],
  ["fe80::1%eth0", "barred"],
  ["0.0.0.0", "barred"],
  ["::", "barred"],
  ["255.255.255.255", "barred"],
  ["224.0.0.1", "barred"],
  ["ff02::1", "barred"],
  ["2001:db8::1", "barred"],
  ["example.com", "barred"],
])("%s is %s", (address, zone) => {
  expect(zoneOf(address)).toBe(zone);
});
