import type { CommandContext } from "../command-context.ts";

/** Switches a configured server on or off, in the configuration and in the running hub. */
export async function switchServer(context: CommandContext, name: string, on: boolean): Promise<number> {
  const { openEditingControl } = await import("../../hub/open-control.ts");
  const { control, close } = await openEditingControl(context, false);
  try {
    const server = await control.servers.enable({ name, on });
    const { path } = await control.configuration.place();
    context.answer({ server, path }, `${name} is switched ${on ? "on" : "off"} in ${path}.`);
    return 0;
  } finally {
    await close();
  }
}
