import { expect, test } from "vitest";
import { createNetworkJudge } from "./network-judge.ts";

const judge = createNetworkJudge(["api.example.com", "*.cdn.example.com:8443", "10.0.0.7:5432", "[2001:db8::1]:443"]);

test.each([
  ["api.example.com:443", true],
  ["API.example.com:80", true],
  ["api.example.com.:443", true],
  ["api.example.com:22", false],
  ["evil-api.example.com:443", false],
  ["api.example.com.evil.test:443", false],
  ["a.cdn.example.com:8443", true],
  ["cdn.example.com:8443", false],
  ["a.cdn.example.com:443", false],
  ["10.0.0.7:5432", true],
  ["10.0.0.8:5432", false],
  ["[2001:db8::1]:443", true],
  ["127.0.0.1:80", false],
  ["nonsense", false],
])("a tunnel to %s passes: %s", (authority, passes) => {
  expect(judge.tunnel(authority) === undefined).toBe(passes);
});

test("a name may not lead to this computer or a private network, an address may", () => {
  expect(judge.address("api.example.com", "93.184.216.34")).toBeUndefined();
  for (const address of ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1"])
    expect(judge.address("api.example.com", address)).toContain("resolves to this computer or a private network");
  expect(judge.address("10.0.0.7", "10.0.0.7")).toBeUndefined();
});
