import { inspect } from "node:util";
import { expect, test } from "vitest";
import { Secret } from "./secret.ts";

test("a secret never shows, however it is printed", () => {
  const secret = new Secret("hunter2-hunter2");
  const prints = [
    String(secret),
    ["a", secret].join(),
    JSON.stringify({ secret }),
    inspect(secret),
    inspect({ deep: [secret] }),
    secret.toString(),
    Object.values(secret).join(),
  ];
  expect(prints.join()).not.toContain("hunter2");
  expect(JSON.stringify({ secret })).toBe('{"secret":"[secret]"}');
});

test("reveal returns the value", () => {
  expect(new Secret("value").reveal()).toBe("value");
});

test("a secret equals the same text and nothing else, whatever the lengths", () => {
  const secret = new Secret("value");
  expect(secret.equals("value")).toBe(true);
  expect(secret.equals(new Secret("value"))).toBe(true);
  for (const other of ["", "valu", "values", "VALUE"]) expect(secret.equals(other)).toBe(false);
});
