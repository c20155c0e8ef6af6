import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

export const command = defineCommand({
  name: "servers",
  summary: "list the MCP servers, with their status and number of tools; with -v, what each can reach",
  options: trustOption,
  examples: [
    "clawport servers",
    "clawport servers -v",
    "clawport servers --json | jq '.servers[] | select(.state != \"ready\")'",
  ],
  async run(context) {
    const { runPresentation } = await import("../run-presentation.ts");
    const { runServers } = await import("../../hub/presentation/servers.ts");
    return runPresentation(context, {
      need: { servers: "all" },
      trust: context.options.trust,
      showsConnections: true,
      async run(handler, { hub }) {
        const handled = await runServers(handler, { showsSandboxes: context.globals.verbose === true });
        return { ...handled, data: { hub: hub ?? null, ...(handled.data as object) } };
      },
    });
  },
});
