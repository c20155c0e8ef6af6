import { handleStatus } from "../../sources/servers/handlers/handle-status.ts";
import { defineCommand } from "../command.ts";
import { runHandler, trustOption } from "../servers/run-handler.ts";

export const command = defineCommand({
  name: "status",
  summary: "show all there is to know about a server's connection",
  args: [{ name: "server", description: "which one; all of them unless given", optional: true }],
  options: trustOption,
  examples: ["clawport status github", "clawport status --json"],
  run(context) {
    const [server] = context.args;
    return runHandler(context, {
      need: server === undefined ? { servers: "all" } : { server },
      trust: context.options.trust,
      run: (handler) => handleStatus(handler, server),
    });
  },
});
