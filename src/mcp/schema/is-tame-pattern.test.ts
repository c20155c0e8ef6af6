import { expect, test } from "vitest";
import { isTamePattern } from "./is-tame-pattern.ts";

test.for([
  "^a",
  "^[a-z0-9-]{1,64}$",
  "^\\d{4}-\\d{2}-\\d{2}$",
  "^[^\\]]+$",
  "^v\\d+\\.\\d$",
  "^\\S+$",
  "^.*\\.png$",
  "^#[0-9a-f]{6}$",
])("%s can only take time in proportion to the text", (pattern) => {
  expect(isTamePattern(pattern)).toBe(true);
});

const wild = [
  "a+",
  "^(a+)+$",
  "^a|b$",
  "^a*b*$",
  "^a+?$",
  "^(a)\\1$",
  "^\\p{L}+$",
  "^[[a]]+$",
  "^(?=a)a$",
  "^a{2,3}b{2,3}$",
];

test.for([...wild, "^a*a{99}a{99}b$", `^a*${"a".repeat(20)}b$`, `^${"a".repeat(300)}`])(
  "%s is left to the time limit",
  (pattern) => {
    expect(isTamePattern(pattern)).toBe(false);
  },
);
