import { Fault } from "../../core/fault.ts";
import { handleDisconnect } from "../../sources/servers/handlers/handle-disconnect.ts";
import { defineCommand } from "../command.ts";
import { runHandler } from "../servers/run-handler.ts";

export const command = defineCommand({
  name: "disconnect",
  summary: "end a server's connection in the running hub; the configuration stays as it is",
  args: [{ name: "server", description: "which one" }],
  examples: ["clawport disconnect github"],
  run(context) {
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
