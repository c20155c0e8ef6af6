import { defineCommand } from "../command.ts";
import { showTray } from "../node/show-tray.ts";

export const command = defineCommand({
  name: "tray",
  summary: "show an icon in your panel: what runs, what asks, what records; with pause and the console",
  examples: ["clawport tray"],
  run: (context) => showTray(context, {}),
});
