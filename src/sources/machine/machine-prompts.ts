import type { PromptSource } from "../../catalog/source.ts";
import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/text/peer-text.ts";
import type { GetPromptResult, Prompt } from "../../mcp/messages/resources-and-prompts.ts";

interface OwnPrompt {
  readonly prompt: Prompt;
  text(args: Readonly<Record<string, string>>): string;
}

const prompts: readonly OwnPrompt[] = [
  {
    prompt: {
      name: "check-computer",
      title: "Check this computer",
      description: "Looks at the state of the computer and sums it up.",
    },
    text: () =>
      "Call device.info and device.status. Sum up in five lines how this computer is doing: system, load, memory, disk, battery. Point out only what needs attention.",
  },
  {
    prompt: {
      name: "missing-tool",
      title: "Why is a tool unavailable?",
      description: "Finds out why a tool of this computer can't be used, and what would make it usable.",
      arguments: [{ name: "tool", description: "The name of the tool, such as clipboard.read.", required: true }],
    },
    text: ({ tool = "" }) =>
      `Call app.status and find the capability ${quoted(tool, 100)}. Say whether it is available, switched off or waiting for consent, and quote what would make it usable. Do not run that command yourself: it is for the user.`,
  },
];

/** The prompts of this computer. */
export const machinePrompts: PromptSource = {
  prompts: () => prompts.map(({ prompt }) => prompt),
  getPrompt(name, args): Promise<GetPromptResult> {
    const found = prompts.find(({ prompt }) => prompt.name === name);
    if (found === undefined) throw new Fault("unknown-prompt", `This computer has no prompt ${quoted(name, 100)}.`);
    const content = { type: "text", text: found.text(args) } as const;
    return Promise.resolve({ messages: [{ role: "user", content }] });
  },
};
