import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mainFile } from "../../../tests/support/cli/run-clawport.ts";
import { runProgram } from "../../../tests/support/cli/run-shell.ts";
import { type ConfiguredPlace, placeWith, runHere, shelf } from "../../../tests/support/cli/test-home.ts";
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
  defineCommand({
    name: "use",
    summary: "use a tool",
    args: [{ name: "tool", description: "which", completes: "tools" }],
    options: { on: { type: "string", completes: "servers", description: "where" } },
    run,
  }),
];
const nodes = completionModel(commands, { utilise: ["use", "--now"] });

let folder = "";
let place: ConfiguredPlace;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  place = await placeWith({ shelf: shelf("one") });
  // Without a hub, the names of tools are those that were seen before.
  await runHere(place, ["tools"]);
  const program = join(place.folder, "clawport");
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${mainFile}" "$@"\n`, { mode: 0o700 });
  env = { ...process.env, ...place.env, PATH: `${place.folder}:${process.env["PATH"]}` };
  folder = await mkdtemp(join(tmpdir(), "completion-"));
  await writeFile(join(folder, "c.bash"), bashCompletion(nodes));
  await writeFile(join(folder, "c.zsh"), zshCompletion(nodes));
  await writeFile(join(folder, "c.fish"), fishCompletion(nodes));
  await writeFile(join(folder, "kitchen.json5"), "");
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await place[Symbol.asyncDispose]();
});

const zshComplete = fileURLToPath(new URL("../../../tests/cli/zsh-complete.zsh", import.meta.url));

type Complete = (line: string) => Promise<string[]>;

const shells: Record<"bash" | "zsh" | "fish", Complete> = {
  bash: async (line) => {
    const words = line.split(" ");
    const script = `source "$1/c.bash"; cd "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }
      _clawport; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { out } = await runProgram("bash", ["--norc", "-c", script, "bash", folder, ...words], { env });
    return out.split("\n").filter(Boolean).sort();
  },
  zsh: async (line) => {
    const { out } = await runProgram("zsh", ["-f", zshComplete, folder, line], { env });
    return out.split("\n").filter(Boolean).sort();
  },
  fish: async (line) => {
    const script = `source ${folder}/c.fish; cd ${folder}; complete -C '${line}'`;
    const { out } = await runProgram("fish", ["--no-config", "-c", script], { env });
    return out
      .split("\n")
      .flatMap((each) => each.split("\t")[0] || [])
      .sort();
  },
};

for (const [shell, complete] of Object.entries(shells)) {
  const program = await requireDebianPackage(shell as keyof typeof shells);
  describe.skipIf(program === undefined)(`${shell} (needs the package ${shell})`, () => {
    test.each([
      ["clawport ", ["bake", "shell", "token", "use", "utilise"]],
      ["clawport to", ["token"]],
      ["clawport token ", ["add", "list"]],
      ["clawport --home /x token l", ["list"]],
      ["clawport token add --vi", ["--view"]],
      ["clawport bake --oven ", ["electric", "gas"]],
      ["clawport shell ", ["ash", "csh"]],
      ["clawport bake --lo", ["--loud"]],
      ["clawport --config kit", ["kitchen.json5"]],
      ["clawport use shelf__pi", ["shelf__picture", "shelf__pid"]],
      ["clawport utilise shelf__pu", ["shelf__put"]],
      ["clawport use --on ", ["shelf"]],
    ])("%j offers %j", async (line, offered) => {
      expect(await complete(line)).toEqual(offered);
    });
  });
}
