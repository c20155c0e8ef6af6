import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

export const command = defineCommand({
  name: "refresh",
  summary: "fetch the list of tools again",
  args: [{ name: "server", description: "only this server", optional: true, completes: "servers" }],
  options: trustOption,
  examples: ["clawport refresh", "clawport refresh github"],
  async run(context) {
    const { runVerb } = await import("../run-verb.ts");
    const { runRefresh } = await import("../../hub/verbs/switch-servers.ts");
    const [server] = context.args;
    return runVerb(context, {
      need: server === undefined ? { servers: "all" } : { server },
      trust: context.options.trust,
      run: (handler) => runRefresh(handler, server),
    });
  },
});
