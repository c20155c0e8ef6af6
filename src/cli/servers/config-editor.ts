import { addServers } from "../../core/config/add-servers.ts";
import { loadConfig } from "../../core/config/load-config.ts";
import { hashConfig, rememberTrust } from "../../core/config/trust.ts";
import type { Home } from "../../core/home.ts";
import type { ConfigEditor } from "../../sources/servers/handlers/handle-connect.ts";
import type { CommandContext } from "../command-context.ts";
import { requireTrust } from "../require-trust.ts";

/** Edits for the person who typed the command: what they added themselves they need not be asked about. */
export function createConfigEditor(context: CommandContext, home: Home, trust: boolean): ConfigEditor {
  const { env, log } = context;
  return {
    async add({ path, location }, name, settings) {
      const before = await loadConfig({ path, env }).catch(() => undefined);
      if (before !== undefined) await requireTrust(context, home, { ...before, location }, trust);
      await addServers(path, { [name]: settings });
      if (before !== undefined && location === "working-folder")
        await rememberTrust(home, hashConfig(await loadConfig({ path, env })), log);
    },
  };
}
