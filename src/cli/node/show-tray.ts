import type { Engine } from "../../hub/engine/engine.ts";
import type { TrayOptions } from "../../hub/tray/run-tray.ts";
import type { CommandContext } from "../command-context.ts";

/** Resolves when the user quits, or when the signal aborts. Without a node it shows whatever runs on the state folder. */
export async function showTray(
  context: CommandContext,
  { node, signal = context.stopSignal() }: { readonly node?: Engine; readonly signal?: AbortSignal },
): Promise<void> {
  const { openHomeOf } = await import("../../hub/state/open-home.ts");
  const { linkToEngine, linkToFolder } = await import("../../hub/tray/hub-link.ts");
  const { runTray } = await import("../../hub/tray/run-tray.ts");
  const home = await openHomeOf(context);
  const linkToNode = async (engine: Engine) => {
    const { openLocalControl } = await import("../../hub/control/local-control.ts");
    return linkToEngine(await openLocalControl(engine));
  };
  await runTray({
    ...context,
    home,
    link: node === undefined ? linkToFolder(home, context.log) : await linkToNode(node),
    ownsNode: node !== undefined,
    setSwitches: switchesOf(context),
    signal,
  });
}

/** The user's own process edits the configuration, as a command does: a hub does not do that for a key. */
function switchesOf(context: CommandContext): TrayOptions["setSwitches"] {
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
