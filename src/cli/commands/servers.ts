import { defineCommand } from "../command.ts";
import { trustOption } from "../servers/trust-option.ts";

export const command = defineCommand({
  name: "servers",
  summary: "list the MCP servers: where each stands, and how many tools it has",
  options: trustOption,
  examples: ["clawport servers", "clawport servers --json | jq '.servers[] | select(.state != \"ready\")'"],
  async run(context) {
    const { runHandler } = await import("../servers/run-handler.ts");
    const { handleServers } = await import("../../sources/servers/handlers/handle-servers.ts");
    return runHandler(context, {
      need: { servers: "all" },
      trust: context.options.trust,
      showsConnections: true,
      async run(handler, { hub }) {
        const handled = await handleServers(handler);
        return { ...handled, data: { hub: hub ?? null, ...(handled.data as object) } };
      },
    });
  },
});
