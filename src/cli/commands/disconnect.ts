import { Fault } from "../../core/fault.ts";
import { defineCommand } from "../command.ts";

export const command = defineCommand({
  name: "disconnect",
  summary: "end a server's connection in the running hub; the configuration stays as it is",
  args: [{ name: "server", description: "which one" }],
  examples: ["clawport disconnect github"],
  async run(context) {
    const { runHandler } = await import("../servers/run-handler.ts");
    const { handleDisconnect } = await import("../../sources/servers/handlers/handle-disconnect.ts");
    const [server = ""] = context.args;
    return runHandler(context, {
      need: { servers: "none" },
      trust: false,
      run(handler, { isHub }) {
        if (!isHub)
          throw new Fault("unavailable", `No hub runs, so ${server} is not connected. "clawport up" starts one.`);
        return handleDisconnect(handler, server);
      },
    });
  },
});
