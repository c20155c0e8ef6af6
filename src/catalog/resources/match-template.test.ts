import { expect, test } from "vitest";
import { matchesTemplate } from "./match-template.ts";

test.each([
  ["note://{id}", "note://1", true],
  ["note://{id}", "note://1/2", false],
  ["note://{id}/text", "note://1/text", true],
  ["note://{id}/text", "note://1/texts", false],
  ["file:///{+path}", "file:///a/b/c", true],
  ["file://{/segments*}", "file:///a/b", true],
  ["db://{table}/{row}{?columns}", "db://users/7?columns=a", true],
  ["db://{table}/{row}{?columns}", "db://users", false],
  ["a{x}b{y}c", "aXbbbYc", true],
  ["plain://x", "plain://x", true],
  ["plain://x", "plain://xy", false],
])("%s and %s: %s", (template, uri, matches) => {
  expect(matchesTemplate(template, uri)).toBe(matches);
});

test("a template with too many expressions matches nothing", () => {
  expect(matchesTemplate("{+a}".repeat(2000), "a".repeat(8000))).toBe(false);
});
