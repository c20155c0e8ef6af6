import { defineCommand } from "../command.ts";
import { trustOption } from "../servers/trust-option.ts";

export const command = defineCommand({
  name: "status",
  summary: "show all there is to know about a server's connection",
  args: [{ name: "server", description: "which one; all of them unless given", optional: true }],
  options: trustOption,
  examples: ["clawport status github", "clawport status --json"],
  async run(context) {
    const { runHandler } = await import("../servers/run-handler.ts");
    const { handleStatus } = await import("../../sources/servers/handlers/handle-status.ts");
    const [server] = context.args;
    return runHandler(context, {
      need: server === undefined ? { servers: "all" } : { server },
      trust: context.options.trust,
      showsConnections: true,
      run: (handler) => handleStatus(handler, server),
    });
  },
});
