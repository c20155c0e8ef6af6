import { expect, test } from "vitest";
import { memoryWorld } from "../../../tests/support/cli/memory-world.ts";
import { Fault } from "../../core/fault.ts";
import { printFailure } from "./print-failure.ts";

const hostile = "hi \u001B]0;owned\u0007\u001B[2J\nand on";

test("a fault's message can't control the terminal, and keeps its line breaks", () => {
  const world = memoryWorld();
  printFailure(new Fault("unavailable", hostile), world, { json: false, verbose: false });
  expect(world.err()).toBe("clawport: hi \\u{1b}]0;owned\\u{7}\\u{1b}[2J\nand on\n");
});

test("neither can its stack nor its cause", () => {
  const world = memoryWorld();
  const fault = new Fault("unavailable", "no", { cause: new Error(hostile) });
  printFailure(fault, world, { json: false, verbose: true });
  expect(world.err()).toContain("caused by: Error: hi \\u{1b}]0;owned");
  expect(world.err()).not.toMatch(/[^\P{Cc}\n]/u);
});

test("tabs and Windows line ends are printed as plain text", () => {
  const world = memoryWorld();
  printFailure(new Fault("unavailable", "a\tb\r\nc\rd"), world, { json: false, verbose: true });
  expect(world.err()).toMatch(/^clawport: a {2}b\nc\\u\{d\}d\n/);
  expect(world.err()).not.toContain("\\u{9}");
});

test("as JSON, its message can't control the terminal either", () => {
  const world = memoryWorld();
  printFailure(new Fault("unavailable", "no \u009b2J\u202e"), world, { json: true, verbose: false });
  expect(world.out()).toContain(String.raw`"no \u009b2J\u202e"`);
});
