import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

export const command = defineCommand({
  name: "refresh",
  summary: "fetch the list of tools again",
  args: [{ name: "server", description: "only this server", optional: true, completes: "servers" }],
  options: trustOption,
  examples: ["clawport refresh", "clawport refresh github"],
  async run(context) {
    const { runPresentation } = await import("../run-presentation.ts");
    const { runRefresh } = await import("../../hub/presentation/switch-servers.ts");
    const [server] = context.args;
    return runPresentation(context, {
      need: server === undefined ? { servers: "all" } : { server },
      trust: context.options.trust,
      run: (handler) => runRefresh(handler, server),
    });
  },
});
