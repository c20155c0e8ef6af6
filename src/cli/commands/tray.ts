import { defineCommand } from "../command.ts";

export const command = defineCommand({
  name: "tray",
  summary: "show an icon in your panel: what runs, what asks, what records; with pause and the console",
  examples: ["clawport tray"],
  async run(context) {
    const { openHomeOf } = await import("../../hub/state/open-home.ts");
    const { linkToFolder } = await import("../../hub/tray/hub-link.ts");
    const { runTray } = await import("../../hub/tray/run-tray.ts");
    const { switchesOf } = await import("../node/tray-options.ts");
    const home = await openHomeOf(context);
    await runTray({
      ...context,
      home,
      link: linkToFolder(home, context.log),
      ownsNode: false,
      setSwitches: switchesOf(context),
      signal: context.stopSignal(),
    });
  },
});
