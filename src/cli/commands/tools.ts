import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

export const command = defineCommand({
  name: "tools",
  summary: "list the tools, under the names they are called by",
  args: [{ name: "server", description: "only those of this server", optional: true }],
  options: trustOption,
  examples: ["clawport tools", "clawport tools github", "clawport tools github --json"],
  async run(context) {
    const { runVerb } = await import("../run-verb.ts");
    const { runTools } = await import("../../hub/verbs/servers.ts");
    const [server] = context.args;
    return runVerb(context, {
      need: server === undefined ? { servers: "all" } : { server },
      trust: context.options.trust,
      run: (handler) => runTools(handler, server),
    });
  },
});
