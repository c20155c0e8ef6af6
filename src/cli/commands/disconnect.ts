import { Fault } from "../../core/fault.ts";
import { switchServer } from "../output/switch-server.ts";
import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

export const command = defineCommand({
  name: "disconnect",
  summary: "close a server's connection in the running hub; the server stays configured unless you add --remove",
  args: [{ name: "server", description: "the server", completes: "servers" }],
  options: {
    remove: { type: "boolean", description: "also remove it from the configuration" },
    disable: {
      type: "boolean",
      description: "also switch it off in the configuration; `connect --enable` switches it on",
    },
    ...trustOption,
  },
  examples: ["clawport disconnect github", "clawport disconnect github --remove"],
  async run(context) {
    const { runPresentation } = await import("../run-presentation.ts");
    const { runDisconnect, handleRemove, requireServer } = await import("../../hub/presentation/switch-servers.ts");
    const { createConfigEditor } = await import("../../hub/control/settings/config-editor.ts");
    const [server = ""] = context.args;
    const { remove, disable, trust = false } = context.options;
    if (disable) return switchServer(context, server, false);
    return runPresentation(context, {
      need: { servers: "none" },
      trust,
      async run(handler, { hub, home }) {
        if (remove) return handleRemove(handler, createConfigEditor(context, home, trust), server);
        if (hub !== undefined) return runDisconnect(handler, server);
        await requireServer(handler.control, server);
        throw new Fault(
          "unavailable",
          `No hub is running, so ${server} is not connected. Run \`clawport up\` to start one, or \`clawport disconnect ${server} --remove\` to remove the server from the configuration.`,
        );
      },
    });
  },
});
