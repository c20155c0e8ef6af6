import { Fault } from "../../core/fault.ts";
import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

export const command = defineCommand({
  name: "logs",
  summary: "show the last lines of the hub's log, or the last output of a server on stderr",
  args: [
    {
      name: "server",
      description: "the output of this server, not the hub's own log",
      optional: true,
      completes: "servers",
    },
  ],
  options: trustOption,
  examples: ["clawport logs", "clawport logs files", "clawport logs --json"],
  async run(context) {
    const { runPresentation } = await import("../run-presentation.ts");
    const { runHubLogs, runLogs } = await import("../../hub/presentation/switch-servers.ts");
    const [server] = context.args;
    return runPresentation(context, {
      need: server === undefined ? { servers: "none" } : { server },
      trust: context.options.trust,
      async run(handler, { hub }) {
        if (server !== undefined) return runLogs(handler, server);
        if (hub !== undefined) return runHubLogs(handler);
        throw new Fault("unavailable", "No hub is running, so there is no log. Run `clawport up` to start one.");
      },
    });
  },
});
