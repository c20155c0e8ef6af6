import { expect, test } from "vitest";
import { parseNpx } from "./locate-package.ts";

test.each([
  [["-y", "pkg@1", "a", "--b"], { spec: "pkg@1", args: ["a", "--b"] }],
  [["--package=@s/pkg", "tool", "x"], { spec: "@s/pkg", command: "tool", args: ["x"] }],
  [["-y", "-p", "pkg", "--", "tool"], { spec: "pkg", command: "tool", args: [] }],
])("npx %j runs %j", (words, expected) => {
  expect(parseNpx(words)).toEqual(expected);
});

test("npx without a package is a mistake of the configuration", () => {
  expect(() => parseNpx(["-y"])).toThrow("name no package");
});
