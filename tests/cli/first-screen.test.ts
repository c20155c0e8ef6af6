import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { memoryWorld } from "../support/cli/memory-world.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const [firstScreen = ""] = readme.split("## What else it does");

test("the first screen of the README is short, and has no words for what comes later", () => {
  expect(firstScreen.split(/\s+/).length).toBeLessThan(330);
  const text = firstScreen.replaceAll(/\]\([^)]*\)/g, "]");
  const later = /openclaw|\b(?:node|proxy|plugin|doors?|sources?|surfaces?|presets?|pins?|guard|bridge|machine)\b/i;
  // The Node that npm brings is not a command of ours.
  expect(text.replaceAll(/\bNode (?:20|that)\b/g, "").match(later)).toBeNull();
});

test("every command on the first screen exists, with its options", async () => {
  const lines = Array.from(firstScreen.matchAll(/npx clawport ([a-z][^\n`]*)/g), ([, words = ""]) => words);
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) {
    const [own = ""] = line.split(/ -- |\s+#/);
    const words = own.replaceAll("'", "").trim().split(/\s+/);
    const world = memoryWorld();
    expect(await runCli([...words, "--help"], world), `${line}: ${world.err()}`).toBe(0);
  }
});

test("the README says in one table which of the commands that keep running you need", () => {
  const [, table = ""] = /### Which command you need\n\n((?:\|.*\n)+)/.exec(readme) ?? [];
  const commands = Array.from(table.matchAll(/^\| `clawport ([a-z-]+)`/gm), ([, name]) => name);
  expect(commands).toEqual(["up", "serve", "node", "proxy", "mcp-server"]);
});
