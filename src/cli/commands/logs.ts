import { handleLogs } from "../../sources/servers/handlers/handle-logs.ts";
import { defineCommand } from "../command.ts";
import { runHandler, trustOption } from "../servers/run-handler.ts";

export const command = defineCommand({
  name: "logs",
  summary: "show what a server last said on stderr",
  args: [{ name: "server", description: "which one" }],
  options: trustOption,
  examples: ["clawport logs files"],
  run(context) {
    const [server = ""] = context.args;
    return runHandler(context, {
      need: { server },
      trust: context.options.trust,
      run: (handler) => handleLogs(handler, server),
    });
  },
});
