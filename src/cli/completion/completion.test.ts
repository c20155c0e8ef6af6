import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runProgram } from "../../../tests/cli/run-shell.ts";
import { requireDebianPackage } from "../../../tests/setup/require-debian-package.ts";
import type { AnyCommand } from "../command.ts";
import { defineCommand } from "../command.ts";
import { bashCompletion } from "./bash.ts";
import { completionModel } from "./completion-model.ts";
import { fishCompletion } from "./fish.ts";
import { zshCompletion } from "./zsh.ts";

const run = async () => {};
const commands: readonly AnyCommand[] = [
  defineCommand({
    name: "bake",
    summary: "bake [a cake]: it's easy",
    options: {
      oven: { type: "string", values: ["gas", "electric"], description: "which oven" },
      loud: { type: "boolean", short: "l", description: "tell the neighbours" },
    },
    run,
  }),
  {
    name: "token",
    summary: "tokens",
    commands: [
      defineCommand({
        name: "add",
        summary: "add one",
        options: { view: { type: "string", description: "view" } },
        run,
      }),
      defineCommand({ name: "list", summary: "list them", run }),
    ],
  },
  defineCommand({
    name: "shell",
    summary: "a shell",
    args: [{ name: "which", description: "which", values: ["ash", "csh"] }],
    run,
  }),
];
const nodes = completionModel(commands);

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "completion-"));
  await writeFile(join(folder, "c.bash"), bashCompletion(nodes));
  await writeFile(join(folder, "c.zsh"), zshCompletion(nodes));
  await writeFile(join(folder, "c.fish"), fishCompletion(nodes));
  await writeFile(join(folder, "kitchen.json5"), "");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const zshComplete = fileURLToPath(new URL("../../../tests/cli/zsh-complete.zsh", import.meta.url));

type Complete = (line: string) => Promise<string[]>;

const shells: Record<string, Complete> = {
  bash: async (line) => {
    const words = line.split(" ");
    const script = `source "$1/c.bash"; cd "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }
      _clawport; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { out } = await runProgram("bash", ["--norc", "-c", script, "bash", folder, ...words]);
    return out.split("\n").filter(Boolean).sort();
  },
  zsh: async (line) => {
    const { out } = await runProgram("zsh", ["-f", zshComplete, folder, line]);
    return out.split("\n").filter(Boolean).sort();
  },
  fish: async (line) => {
    const script = `source ${folder}/c.fish; cd ${folder}; complete -C '${line}'`;
    const { out } = await runProgram("fish", ["--no-config", "-c", script]);
    return out
      .split("\n")
      .flatMap((each) => each.split("\t")[0] || [])
      .sort();
  },
};

for (const [shell, complete] of Object.entries(shells)) {
  const program = await requireDebianPackage(shell, `/usr/bin/${shell}`);
  describe.skipIf(program === undefined)(`${shell} (needs the package ${shell})`, () => {
    test.each([
      ["clawport ", ["bake", "shell", "token"]],
      ["clawport to", ["token"]],
      ["clawport token ", ["add", "list"]],
      ["clawport --home /x token l", ["list"]],
      ["clawport token add --vi", ["--view"]],
      ["clawport bake --oven ", ["electric", "gas"]],
      ["clawport shell ", ["ash", "csh"]],
      ["clawport bake --lo", ["--loud"]],
      ["clawport --config kit", ["kitchen.json5"]],
    ])("%j offers %j", async (line, offered) => {
      expect(await complete(line)).toEqual(offered);
    });
  });
}
