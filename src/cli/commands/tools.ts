import { defineCommand } from "../command.ts";
import { trustOption } from "../servers/trust-option.ts";

export const command = defineCommand({
  name: "tools",
  summary: "list the tools, under the names they are called by",
  args: [{ name: "server", description: "only those of this server", optional: true }],
  options: trustOption,
  examples: ["clawport tools", "clawport tools github", "clawport tools github --json"],
  async run(context) {
    const { runHandler } = await import("../servers/run-handler.ts");
    const { handleTools } = await import("../../sources/servers/handlers/handle-tools.ts");
    const [server] = context.args;
    return runHandler(context, {
      need: server === undefined ? { servers: "all" } : { server },
      trust: context.options.trust,
      run: (handler) => handleTools(handler, server),
    });
  },
});
