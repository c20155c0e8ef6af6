import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

export const command = defineCommand({
  name: "tools",
  summary: "list the tools, by the names you call them with; or show the arguments of one, and how to call it",
  args: [
    {
      name: "server|tool",
      description: "only the tools of this server, or everything about this tool",
      optional: true,
      completes: "servers-and-tools",
    },
  ],
  options: {
    search: {
      type: "string",
      value: "<words>",
      description: "only tools with these words in their name or description, or else those that come closest",
    },
    cost: { type: "boolean", description: "how many tokens the definitions take in the context of a model" },
    ...trustOption,
  },
  examples: [
    "clawport tools",
    "clawport tools github",
    "clawport tools github__create_issue",
    "clawport tools --json",
    "clawport tools --search 'read file'",
    "clawport tools --cost",
  ],
  async run(context) {
    const { runPresentation } = await import("../run-presentation.ts");
    const { runTools, runToolSearch } = await import("../../hub/presentation/servers.ts");
    const { runToolCost } = await import("../../hub/presentation/tool-cost.ts");
    const [name] = context.args;
    const { search, cost } = context.options;
    return runPresentation(context, {
      need: name === undefined ? { servers: "all" } : { serverOrTool: name },
      trust: context.options.trust,
      run: (handler) =>
        search === undefined ? (cost ? runToolCost : runTools)(handler, name) : runToolSearch(handler, search, name),
    });
  },
});
