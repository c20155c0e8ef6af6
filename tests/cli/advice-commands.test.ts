import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { commandTable } from "../../src/cli/command-table.ts";
import { isGroup } from "../../src/cli/command.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import { memoryWorld } from "../support/cli/memory-world.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Every command that a message of ours names, with what is filled in at run time as a word. */
function namedCommands(): Map<string, string> {
  const found = new Map<string, string>();
  const files = globSync(["src/**/*.ts", "console/src/**/*.tsx"], { cwd: root });
  for (const file of files.filter((each) => !/\.test\.ts$|\/(?:completion-model|seal)\.ts$/.test(each))) {
    const text = readFileSync(`${root}${file}`, "utf8").replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
    const hints = [
      ...text.matchAll(/\\?`clawport ([^`\\]*)\\?`/g),
      ...text.matchAll(/(?:fix: |\? )["`](?:[^"`\n]* )?clawport ([a-z][^"`\n]*)["`]/g),
      ...text.matchAll(/\$\{prefix\} ([a-z][^`\\]*)\\`/g),
      ...text.matchAll(/^ {4}"clawport ([^"]*)",$/gm),
    ];
    for (const [, words = ""] of hints) found.set(words, file);
  }
  return found;
}

/** The words of a line of the shell up to where another command or a remark begins. */
function wordsOf(line: string): string[] {
  const [own = ""] = line.split(/ (?:&&|\||>>?) |\s{2}\(|\)$/);
  return own
    .replaceAll("<port>", "1")
    .replaceAll("<topic>", "hub")
    .replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}|<[^>]*>|'[^']*'|"[^"]*"|…/g, "x")
    .replaceAll(/[,;.]$/g, "")
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** With the command of a group that options mean without its name. */
async function withFallback([name = "", ...rest]: readonly string[]): Promise<readonly string[]> {
  const loaded = await commandTable.find((each) => each.name === name)?.load();
  const command = loaded?.command;
  const fallback = command !== undefined && isGroup(command) ? command.fallback : undefined;
  return fallback !== undefined && rest[0]?.startsWith("-") ? [name, fallback, ...rest] : [name, ...rest];
}

test("every command that a message, the help or the page names exists, with the options it is named with", async () => {
  const commands = namedCommands();
  expect(commands.size).toBeGreaterThan(80);
  const wrong: string[] = [];
  for (const [line, file] of commands) {
    const words = wordsOf(line);
    // The help of `call` is that of the tool.
    if (words[0]?.startsWith("x") || words[0]?.startsWith("$") || words[0] === "call") continue;
    const at = words.indexOf("--");
    const named = await withFallback(at === -1 ? words : words.slice(0, at));
    const world = memoryWorld();
    const exit = await runCli([...named, "--help"], world);
    if (exit !== 0) wrong.push(`${file}: ${line}: ${world.err()}`);
  }
  expect(wrong).toEqual([]);
});
