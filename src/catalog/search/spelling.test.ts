import { expect, test } from "vitest";
import { createSpeller, editDistance } from "./spelling.ts";

const speller = createSpeller(
  new Map([
    ["message", 5],
    ["massage", 1],
    ["file", 3],
    ["payment", 1],
    ["link", 1],
    ["list", 9],
  ]),
);

test("a known word stays as it is", () => {
  expect(speller.correct("massage")).toEqual(["massage"]);
});

test("of two neighbours the more frequent comes first", () => {
  expect(speller.correct("mossage")).toEqual(["message", "massage"]);
});

test("swapped letters are one mistake", () => {
  expect(speller.correct("fiel")).toEqual(["file"]);
  expect(editDistance("fiel", "file", 2)).toBe(1);
});

test("a compound is split into words that are known", () => {
  expect(speller.correct("paymentslink")).toEqual(["payment", "link"]);
});

test("short words, numbers and words far from all others are not guessed", () => {
  expect(speller.correct("ls")).toEqual(["ls"]);
  expect(speller.correct("k8s")).toEqual(["k8s"]);
  expect(speller.correct("xylophone")).toEqual([]);
});

test("the distance ends early beyond its bound", () => {
  expect(editDistance("kitten", "sitting", 3)).toBe(3);
  expect(editDistance("kitten", "sitting", 2)).toBe(3);
  expect(editDistance("a", "abcdef", 2)).toBe(3);
});
