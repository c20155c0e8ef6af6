import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

export const command = defineCommand({
  name: "status",
  summary: "show the hub, and the details of its servers' connections",
  args: [{ name: "server", description: "only this server", optional: true, completes: "servers" }],
  options: trustOption,
  examples: ["clawport status", "clawport status github", "clawport status --json | jq .hub"],
  async run(context) {
    const { runPresentation } = await import("../run-presentation.ts");
    const { runStatus } = await import("../../hub/presentation/servers.ts");
    const { runHubStatus } = await import("../../hub/presentation/hub-status.ts");
    const [server] = context.args;
    return runPresentation(context, {
      need: server === undefined ? { servers: "all", asksNode: true } : { server },
      trust: context.options.trust,
      showsConnections: true,
      run: (handler, { hub }) =>
        server === undefined ? runHubStatus(handler, hub !== undefined) : runStatus(handler, server),
    });
  },
});
