import { handleTools } from "../../sources/servers/handlers/handle-tools.ts";
import { defineCommand } from "../command.ts";
import { runHandler, trustOption } from "../servers/run-handler.ts";

export const command = defineCommand({
  name: "tools",
  summary: "list the tools, under the names they are called by",
  args: [{ name: "server", description: "only those of this server", optional: true }],
  options: trustOption,
  examples: ["clawport tools", "clawport tools github", "clawport tools github --json"],
  run(context) {
    const [server] = context.args;
    return runHandler(context, {
      need: server === undefined ? { servers: "all" } : { server },
      trust: context.options.trust,
      run: (handler) => handleTools(handler, server),
    });
  },
});
