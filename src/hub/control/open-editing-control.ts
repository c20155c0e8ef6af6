import { readConfigAt } from "../active-config.ts";
import type { Host } from "../host.ts";
import { readVersion } from "../../core/version.ts";
import type { HubControl } from "./hub-control.ts";
import { openControl, type OpenedControl } from "./open-control.ts";

/**
 * For commands that change the configuration. A hub does not do that for a token, so the command edits the file itself,
 * with the rights of the user who typed it, and then asks the hub to apply it.
 */
export async function openEditingControl(host: Host, trust: boolean): Promise<OpenedControl> {
  const opened = await openControl(host, { servers: "none" }, trust);
  const { control, home, hub } = opened;
  if (hub === undefined) return opened;
  const { openSettings } = await import("./settings/open-settings.ts");
  const { env, homedir, log } = host;
  const place = await control.configuration.place();
  const { config } = await readConfigAt(place, home, env);
  const none = () => undefined;
  const settings = openSettings({
    home,
    env,
    homedir,
    log,
    version: readVersion(),
    place,
    config,
    catalog: { find: none, sources: () => [] },
    servers: control.servers,
    reload: () => control.configuration.reload(),
    isNode: async () => (await control.machine.read()).host === "node",
    live: {
      machine: none,
      gatewayNode: none,
      openGatewayNode: () => Promise.reject(new TypeError("the hub connects to the gateway itself")),
      httpAddress: () => hub,
    },
  });
  const editing: HubControl = {
    ...control,
    servers: { ...control.servers, enable: settings.servers.enable },
    rules: { ...control.rules, save: settings.rules.save },
    configuration: { ...control.configuration, write: settings.configuration.write },
    machine: {
      ...control.machine,
      async set(switches) {
        await settings.machine.set(switches);
        return control.machine.read();
      },
      async consent(capability, mode) {
        await settings.machine.consent(capability, mode);
        return control.machine.read();
      },
    },
  };
  return { ...opened, control: editing };
}
