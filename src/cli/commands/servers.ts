import { handleServers } from "../../sources/servers/handlers/handle-servers.ts";
import { defineCommand } from "../command.ts";
import { runHandler, trustOption } from "../servers/run-handler.ts";

export const command = defineCommand({
  name: "servers",
  summary: "list the MCP servers: where each stands, and how many tools it has",
  options: trustOption,
  examples: ["clawport servers", "clawport servers --json | jq '.servers[] | select(.state != \"ready\")'"],
  run: (context) => runHandler(context, { need: { servers: "all" }, trust: context.options.trust, run: handleServers }),
});
