import { defineCommand } from "../command.ts";

const shells = ["bash", "zsh", "fish"] as const;

export const command = defineCommand({
  name: "completion",
  summary: "print the completion script for a shell",
  args: [{ name: "shell", description: "the shell", values: shells }],
  examples: [
    "echo 'source <(clawport completion bash)' >> ~/.bashrc",
    "echo 'source <(clawport completion zsh)' >> ~/.zshrc",
    "clawport completion fish > ~/.config/fish/completions/clawport.fish",
  ],
  async run(context) {
    const { completionModel } = await import("../completion/completion-model.ts");
    const loaded = await Promise.all(context.commandTable.map(async (entry) => (await entry.load()).command));
    const script = await scriptOf(context.args[0] as (typeof shells)[number]);
    const text = script(completionModel(loaded));
    context.answer({ shell: context.args[0], script: text }, text.trimEnd());
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
