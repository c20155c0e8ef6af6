import * as fc from "fast-check";
import { expect, test } from "vitest";
import { substituteEnv } from "./substitute-env.ts";

const env = { A: "1", B_2: "two", EMPTY: "" };

test.each([
  ["$A", "1"],
  ["${A}", "1"],
  ["x$A-${B_2}y", "x1-twoy"],
  ["${NO:-other}", "other"],
  ["${EMPTY:-other}", "other"],
  ["${A:-other}", "1"],
  ["${NO:-}", ""],
  ["$EMPTY|", "|"],
  ["$$A", "$A"],
  ["$$$A", "$1"],
  ["costs 5$", "costs 5$"],
  ["^a$|$5", "^a$|$5"],
])("%s becomes %s", (text, expected) => {
  const { value, missing, broken } = substituteEnv({ deep: [text] }, env);
  expect({ value, missing, broken }).toEqual({ value: { deep: [expected] }, missing: [], broken: [] });
});

test("all missing variables are reported at once, with their paths", () => {
  const { missing } = substituteEnv({ a: "$X and ${Y}", b: ["$A", "${X}"] }, env);
  expect(missing).toEqual([
    { path: ["a"], name: "X" },
    { path: ["a"], name: "Y" },
    { path: ["b", 1], name: "X" },
  ]);
});

test("names of the prototype are not in the environment", () => {
  expect(substituteEnv("$constructor", { ...env }).missing).toHaveLength(1);
});

test("substituted text is not substituted again", () => {
  expect(substituteEnv("$X", { X: "$A ${" }).value).toBe("$A ${");
});

test("an unclosed reference is reported", () => {
  expect(substituteEnv(["${A", "${A B}"], env).broken).toEqual([[0], [1]]);
});

test("keys, numbers and flags stay as they are", () => {
  expect(substituteEnv({ $A: 1, b: [true, null] }, env).value).toEqual({ $A: 1, b: [true, null] });
});

test("text with its dollar signs doubled comes out as it was", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(substituteEnv(text.replaceAll("$", "$$$$"), env).value).toBe(text);
    }),
  );
});

test("secrets that are kept elsewhere are filled in by their references, and stay references without a value", () => {
  const text = "${keychain:a} ${op://v/i/f} ${file:/x} ${cmd:echo x} ${file:-other}";
  const filled = substituteEnv([text], {}, new Map([["keychain:a", "A"], ["op://v/i/f", "O"]])); // prettier-ignore
  expect(filled.value).toEqual(["A O ${file:/x} ${cmd:echo x} other"]);
  expect(filled.references.map(({ name }) => name)).toEqual(["keychain:a", "op://v/i/f", "file:/x", "cmd:echo x"]);
  expect(filled.broken).toEqual([]);
});
