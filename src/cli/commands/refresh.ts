import { handleRefresh } from "../../sources/servers/handlers/handle-refresh.ts";
import { defineCommand } from "../command.ts";
import { runHandler, trustOption } from "../servers/run-handler.ts";

export const command = defineCommand({
  name: "refresh",
  summary: "ask a server again what it offers",
  args: [{ name: "server", description: "which one; all of them unless given", optional: true }],
  options: trustOption,
  examples: ["clawport refresh", "clawport refresh github"],
  run(context) {
    const [server] = context.args;
    return runHandler(context, {
      need: server === undefined ? { servers: "all" } : { server },
      trust: context.options.trust,
      run: (handler) => handleRefresh(handler, server),
    });
  },
});
