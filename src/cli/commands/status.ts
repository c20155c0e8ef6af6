import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

export const command = defineCommand({
  name: "status",
  summary: "show the details of a server's connection",
  args: [{ name: "server", description: "only this server", optional: true }],
  options: trustOption,
  examples: ["clawport status github", "clawport status --json"],
  async run(context) {
    const { runVerb } = await import("../run-verb.ts");
    const { runStatus } = await import("../../hub/verbs/servers.ts");
    const [server] = context.args;
    return runVerb(context, {
      need: server === undefined ? { servers: "all" } : { server },
      trust: context.options.trust,
      showsConnections: true,
      run: (handler) => runStatus(handler, server),
    });
  },
});
