import { defineCommand } from "../command.ts";
import { trustOption } from "../servers/trust-option.ts";

export const command = defineCommand({
  name: "logs",
  summary: "show what a server last said on stderr",
  args: [{ name: "server", description: "which one" }],
  options: trustOption,
  examples: ["clawport logs files"],
  async run(context) {
    const { runHandler } = await import("../servers/run-handler.ts");
    const { handleLogs } = await import("../../sources/servers/handlers/handle-logs.ts");
    const [server = ""] = context.args;
    return runHandler(context, {
      need: { server },
      trust: context.options.trust,
      run: (handler) => handleLogs(handler, server),
    });
  },
});
