import { defineCommand } from "../command.ts";
import { trustOption } from "../servers/trust-option.ts";

export const command = defineCommand({
  name: "refresh",
  summary: "ask a server again what it offers",
  args: [{ name: "server", description: "which one; all of them unless given", optional: true }],
  options: trustOption,
  examples: ["clawport refresh", "clawport refresh github"],
  async run(context) {
    const { runHandler } = await import("../servers/run-handler.ts");
    const { handleRefresh } = await import("../../sources/servers/handlers/handle-refresh.ts");
    const [server] = context.args;
    return runHandler(context, {
      need: server === undefined ? { servers: "all" } : { server },
      trust: context.options.trust,
      run: (handler) => handleRefresh(handler, server),
    });
  },
});
