import { execFileSync } from "node:child_process";
import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { quotedForShell } from "./connection-auth.ts";

test.each(["read write", "https://auth.example/tenant-1", "files:read", "user@example.com/.default"])(
  "%s can be copied",
  (text) => {
    expect(quotedForShell(text)).toBe(`"${text}"`);
  },
);

test.each(["$(id)", "`id`", 'a"; id', "a\\", "$HOME", "!x", "a\nid", ""])("%j is not put into a command", (text) => {
  expect(quotedForShell(text)).toBeUndefined();
});

test("what is shown means itself to a real shell", () => {
  const word = quotedForShell("https://auth.example/a~b*c,d=e+f read:all");
  expect(execFileSync("sh", ["-c", `printf %s ${word}`], { encoding: "utf8" })).toBe(
    "https://auth.example/a~b*c,d=e+f read:all",
  );
});

test("no text brings a character that a shell acts on", () => {
  assert(
    property(string(), (text) => {
      const inside = quotedForShell(text)?.slice(1, -1) ?? "";
      expect(inside).not.toMatch(/["'`$\\!;&|<>(){}\n\r]/);
    }),
  );
});
