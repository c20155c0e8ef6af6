import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

export const command = defineCommand({
  name: "tools",
  summary: "list the tools, by the names you call them with",
  args: [{ name: "server", description: "only the tools of this server", optional: true }],
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
