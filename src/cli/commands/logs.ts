import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

export const command = defineCommand({
  name: "logs",
  summary: "show the last output of a server on stderr",
  args: [{ name: "server", description: "the server" }],
  options: trustOption,
  examples: ["clawport logs files"],
  async run(context) {
    const { runVerb } = await import("../run-verb.ts");
    const { runLogs } = await import("../../hub/verbs/switch-servers.ts");
    const [server = ""] = context.args;
    return runVerb(context, {
      need: { server },
      trust: context.options.trust,
      run: (handler) => runLogs(handler, server),
    });
  },
});
