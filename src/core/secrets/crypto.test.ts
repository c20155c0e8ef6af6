import { expect, test } from "vitest";
import { randomHex } from "./crypto.ts";

test.each(["/dev/urandom", "/dev/null", "/nowhere/at/all"])(
  "with %s as the source, all digits are random",
  (source) => {
    const found = Array.from({ length: 100 }, () => randomHex(8, source));
    expect(new Set(found).size).toBe(100);
    for (const text of found) expect(text).toMatch(/^[0-9a-f]{16}$/);
  },
);
