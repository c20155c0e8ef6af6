import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { addServers, readRawConfig, writeConfigText } from "../../core/config/add-servers.ts";
import { loadConfig } from "../../core/config/load-config.ts";
import { removeServer } from "../../core/config/remove-server.ts";
import { hashConfig, rememberTrust } from "../../core/config/trust.ts";
import type { Home } from "../../core/home.ts";
import type { ConfigEditor } from "../../sources/servers/handlers/handle-connect.ts";
import type { CommandContext } from "../command-context.ts";
import { requireTrust } from "../require-trust.ts";
import { tryServer } from "./try-server.ts";

/** Edits for the person who typed the command: what they added themselves they need not be asked about. */
export function createConfigEditor(context: CommandContext, home: Home, trust: boolean): ConfigEditor {
  const { env, log } = context;
  return {
    async check({ path }, name, settings) {
      const { text } = await readRawConfig(path);
      await tryServer(context, { path, text, name, settings });
    },
    async add({ path, location }, name, settings) {
      const exists = existsSync(path);
      if (exists) await requireTrust(context, home, { ...(await loadConfig({ path, env })), location }, trust);
      const { text: before } = await readRawConfig(path);
      await addServers(path, { [name]: settings });
      const { text: after } = await readRawConfig(path);
      if (location === "working-folder") await rememberTrust(home, hashConfig({ raw: after }), log);
      return async () => {
        // Somebody else may have written it meanwhile.
        if ((await readRawConfig(path)).text !== after) return;
        if (exists) await writeConfigText(path, before);
        else await rm(path);
      };
    },
    async remove({ path, location }, name) {
      await requireTrust(context, home, { ...(await loadConfig({ path, env })), location }, trust);
      await removeServer(path, name);
      const { text } = await readRawConfig(path);
      if (location === "working-folder") await rememberTrust(home, hashConfig({ raw: text }), log);
    },
  };
}
