import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

export const command = defineCommand({
  name: "servers",
  summary: "list the MCP servers, with their status and number of tools",
  options: trustOption,
  examples: ["clawport servers", "clawport servers --json | jq '.servers[] | select(.state != \"ready\")'"],
  async run(context) {
    const { runVerb } = await import("../run-verb.ts");
    const { runServers } = await import("../../hub/verbs/servers.ts");
    return runVerb(context, {
      need: { servers: "all" },
      trust: context.options.trust,
      showsConnections: true,
      async run(handler, { hub }) {
        const handled = await runServers(handler);
        return { ...handled, data: { hub: hub ?? null, ...(handled.data as object) } };
      },
    });
  },
});
