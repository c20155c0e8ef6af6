import { expect, test } from "vitest";
import { joinScopes } from "./scopes.ts";

test.each([
  [["read write", "write admin"], "read write admin"],
  [[undefined, "read"], "read"],
  [[undefined, "", "  "], undefined],
  [['read"; rm -rf /', "ok"], "rm -rf / ok"],
])("%j together are %s", (scopes, joined) => {
  expect(joinScopes(...scopes)).toBe(joined);
});

test("what could leave its quotes in a command or a line is no scope", () => {
  expect(joinScopes('a"b', "c\\d", "e\u0007", "f\u00e4", "good")).toBe("good");
});
