import type { TrayOptions } from "../../hub/tray/run-tray.ts";
import type { CommandContext } from "../command-context.ts";

/** The user's own process edits the configuration, as a command does: a hub does not do that for a key. */
export function switchesOf(context: CommandContext): TrayOptions["setSwitches"] {
  return async (switches) => {
    const { openEditingControl } = await import("../../hub/open-control.ts");
    const { control, close } = await openEditingControl(context, false, true);
    try {
      await control.machine.set(switches);
    } finally {
      await close();
    }
  };
}
