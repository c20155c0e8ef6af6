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
  options: trustOption,
  examples: ["clawport tools", "clawport tools github", "clawport tools github__create_issue", "clawport tools --json"],
  async run(context) {
    const { runVerb } = await import("../run-verb.ts");
    const { runTools } = await import("../../hub/verbs/servers.ts");
    const [name] = context.args;
    return runVerb(context, {
      need: name === undefined ? { servers: "all" } : { serverOrTool: name },
      trust: context.options.trust,
      run: (handler) => runTools(handler, name),
    });
  },
});
