import { expect, test } from "vitest";
import { isLoopbackHost } from "./addresses.ts";

test.each(["localhost", "127.0.0.1", "127.0.0.2", "127.255.255.255", "::1", "::ffff:127.0.0.1"])(
  "a server that listens at %s is out of reach for other machines",
  (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  },
);

test.each(["0.0.0.0", "::", "192.168.1.5", "127.0.0.1.example.com", "127.1", "localhost.example.com", ""])(
  "a server that listens at %j may be within reach of other machines",
  (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  },
);
