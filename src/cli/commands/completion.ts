import { Fault } from "../../core/fault.ts";
import { aliases } from "../aliases.ts";
import { defineCommand } from "../command.ts";
import { type KnownNames, knownNames } from "../options.ts";

const shells = ["bash", "zsh", "fish"] as const;

export const command = defineCommand({
  name: "completion",
  summary: "print the completion script for a shell",
  args: [{ name: "shell", description: "the shell", values: shells, optional: true }],
  options: {
    names: {
      type: "string",
      value: "<kind>",
      values: knownNames,
      description: "print the names that the script completes, not the script",
    },
  },
  examples: [
    "echo 'source <(clawport completion bash)' >> ~/.bashrc",
    "echo 'source <(clawport completion zsh)' >> ~/.zshrc",
    "clawport completion fish > ~/.config/fish/completions/clawport.fish",
  ],
  async run(context) {
    const { names } = context.options;
    if (names !== undefined) {
      const { readKnownNames } = await import("../completion/known-names.ts");
      const known = await readKnownNames(context, names as KnownNames);
      return context.answerAsIs({ names: known }, known.join("\n"));
    }
    if (context.args.length === 0)
      throw new Fault(
        "usage",
        `missing argument <shell>: one of ${shells.join(", ")}; see \`clawport completion --help\``,
      );
    const { completionModel } = await import("../completion/completion-model.ts");
    const loaded = await Promise.all(context.commandTable.map(async (entry) => (await entry.load()).command));
    const script = await scriptOf(context.args[0] as (typeof shells)[number]);
    const text = script(completionModel(loaded, aliases));
    context.answerAsIs({ shell: context.args[0], script: text }, text.trimEnd());
  },
});

async function scriptOf(shell: (typeof shells)[number]) {
  switch (shell) {
    case "bash":
      return (await import("../completion/bash.ts")).bashCompletion;
    case "zsh":
      return (await import("../completion/zsh.ts")).zshCompletion;
    case "fish":
      return (await import("../completion/fish.ts")).fishCompletion;
  }
}
