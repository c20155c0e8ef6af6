import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { formatPath } from "../core/config/config-path.ts";
import { addServers, readRawConfig, removeServer, writeConfigText } from "../core/config/edit-config.ts";
import { appendJson5 } from "../core/config/edit-json5.ts";
import { loadConfig } from "../core/config/load-config.ts";
import { hashConfig, rememberTrust } from "../core/config/trust.ts";
import { isFault } from "../core/fault.ts";
import type { Home } from "../core/files/home.ts";
import { silentLog } from "../core/log.ts";
import { readVersion } from "../core/version.ts";
import { withDeadline } from "../core/wait.ts";
import { defineServers } from "../sources/servers/definition.ts";
import { createServerManager } from "../sources/servers/manager.ts";
import { guardRecursion } from "./engine/recursion-guard.ts";
import type { Host } from "./host.ts";
import { requireTrust } from "./require-trust.ts";
import type { ConfigEditor } from "./verbs/connect.ts";

/** Edits for the person who typed the command: what they added themselves they need not be asked about. */
export function createConfigEditor(host: Host, home: Home, trust: boolean): ConfigEditor {
  const { env, log } = host;
  return {
    async check({ path }, name, settings) {
      const { text } = await readRawConfig(path);
      await tryServer(host, { path, text, name, settings });
    },
    async add({ path, location }, name, settings) {
      const exists = existsSync(path);
      if (exists) await requireTrust(host, home, { ...(await loadConfig({ path, env })), location }, trust);
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
      await requireTrust(host, home, { ...(await loadConfig({ path, env })), location }, trust);
      await removeServer(path, name);
      const { text } = await readRawConfig(path);
      if (location === "working-folder") await rememberTrust(home, hashConfig({ raw: text }), log);
    },
  };
}

/** What a configuration file would say. */
interface Draft {
  readonly path: string;
  /** What it says now. */
  readonly text: string;
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * Connects a server as it would be configured, in this process, and lets it go again. Faults with what is wrong. One that
 * wants a sign-in is there; one that lacks a variable can't be tried here.
 */
async function tryServer(host: Host, { path, text, name, settings }: Draft): Promise<void> {
  const { env, log } = host;
  const loaded = await loadConfig({ path, env, text: appendJson5(text, ["servers"], { [name]: settings }) });
  const own = formatPath(["servers", name]);
  if (loaded.waiting.some((problem) => problem.path.startsWith(own))) return;
  const definition = defineServers(loaded.config).definitions.find((each) => each.name === name);
  if (definition === undefined || !definition.enabled) return;
  const manager = createServerManager({
    catalog: { add: () => () => {} },
    env: guardRecursion(env, path),
    // What goes wrong is told once, at the end.
    log: host.globals.verbose ? log : silentLog,
    version: readVersion(),
    maxConcurrent: 1,
    discoveryMs: 0,
  });
  try {
    await manager.apply([definition]);
    const connected = withDeadline(Infinity, host.stopSignal(), () => manager.refresh(name));
    await host.showWhile(`Trying ${name} …`, connected);
  } catch (error) {
    if (!isFault(error, "unauthorized")) throw error;
  } finally {
    await manager.close();
  }
}
