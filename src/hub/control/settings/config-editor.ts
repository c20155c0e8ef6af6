import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type ConfigPath, formatPath } from "../../../core/config/config-path.ts";
import { readRawConfig, removeServerFromFile, writeConfigText } from "../../../core/config/edit-config.ts";
import { appendJson5, setJson5 } from "../../../core/config/json5/edit-json5.ts";
import { loadConfig } from "../../../core/config/load-config.ts";
import { identifyConfig, rememberTrust } from "../../../core/config/trust/trust.ts";
import { Fault, isFault } from "../../../core/fault.ts";
import type { Home } from "../../../core/files/home.ts";
import { isRecord } from "../../../core/is-record.ts";
import { type Log, silentLog } from "../../../core/log.ts";
import { readVersion } from "../../../core/version.ts";
import { withDeadline } from "../../../core/wait.ts";
import { defineServers } from "../../../sources/servers/definition.ts";
import { createServerManager } from "../../../sources/servers/manager.ts";
import type { FoundConfig } from "../../../core/config/find-config.ts";
import { openSandboxes } from "../../engine/servers/open-sandboxes.ts";
import { guardRecursion } from "../../engine/servers/recursion-guard.ts";
import type { Host } from "../../state/host.ts";
import { requireOwnConfig } from "../../state/load-named-config.ts";
import { requireTrust } from "../../state/require-trust.ts";
import type { ConfigEditor } from "../../presentation/connect.ts";

/** The part of a host that an editor needs. */
export interface EditorHost extends Pick<Host, "env" | "homedir" | "ask" | "showWhile" | "stopSignal" | "globals"> {
  readonly log: Log;
}

/** Edits on behalf of the user who typed the command, who is not asked to trust what they added themselves. */
export function createConfigEditor(host: EditorHost, home: Home, trust: boolean): ConfigEditor {
  const { env, log } = host;
  return {
    async check({ path }, name, settings) {
      const { text } = await readRawConfig(path);
      await requireOwnConfig(path, text);
      await tryServer(host, home, { path, text, name, settings });
    },
    add: (place, name, settings) => edit(place, (text) => appendJson5(text, ["servers"], { [name]: settings })),
    async set(place, name, settings) {
      if (!Object.hasOwn((await readRawConfig(place.path)).servers, name))
        throw new Fault("usage", `${name} is not in ${place.path}. Change it where it is configured.`);
      return edit(place, (text) =>
        changedSettings(name, settings).reduce((now, [at, value]) => setJson5(now, at, value), text),
      );
    },
    async remove({ path, location }, name) {
      await requireOwnConfig(path, (await readRawConfig(path)).text);
      await requireTrust(host, home, { ...(await loadConfig({ path, env })), location }, trust);
      await removeServerFromFile(path, name);
      const { text } = await readRawConfig(path);
      if (location === "working-folder") await trustEdited(path, text);
    },
  };

  async function edit({ path, location }: FoundConfig, change: (text: string) => string) {
    const exists = existsSync(path);
    await requireOwnConfig(path, (await readRawConfig(path)).text);
    if (exists) await requireTrust(host, home, { ...(await loadConfig({ path, env })), location }, trust);
    const { text: before } = await readRawConfig(path);
    const changed = change(before);
    await loadConfig({ path, env, text: changed });
    await writeConfigText(path, changed);
    const { text: after } = await readRawConfig(path);
    if (location === "working-folder") await trustEdited(path, after);
    return async () => {
      // Another program may have written it meanwhile.
      if ((await readRawConfig(path)).text !== after) return;
      if (exists) await writeConfigText(path, before);
      else await rm(path);
    };
  }

  /** What can't be loaded, or has files that can't be remembered, is not trusted: the next command says why. */
  async function trustEdited(path: string, text: string): Promise<void> {
    try {
      await rememberTrust(home, await identifyConfig(await loadConfig({ path, env, text })), log);
    } catch (error) {
      if (!isFault(error, "config") && !isFault(error, "untrusted")) throw error;
    }
  }
}

/** Each value by its place; headers and variables that are not named stay. */
function changedSettings(name: string, settings: Readonly<Record<string, unknown>>): readonly [ConfigPath, unknown][] {
  return Object.entries(settings).flatMap(([key, value]): [ConfigPath, unknown][] =>
    isRecord(value) && key !== "sandbox"
      ? Object.entries(value).map(([inner, each]) => [["servers", name, key, inner], each])
      : [[["servers", name, key], value]],
  );
}

/** A configuration file and the server that would be added to it. */
export interface ServerDraft {
  readonly path: string;
  /** Its text now. */
  readonly text: string;
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * Connects a server as it would be configured, in this process, and disconnects it again. Faults with the problem. A
 * server that wants a sign-in counts as reachable; one that lacks a variable can't be tried here.
 */
export async function tryServer(
  host: EditorHost,
  home: Home,
  { path, text, name, settings }: ServerDraft,
): Promise<void> {
  const { env, log } = host;
  const loaded = await loadConfig({ path, env, text: appendJson5(text, ["servers"], { [name]: settings }) });
  const own = formatPath(["servers", name]);
  if (loaded.waiting.some((problem) => problem.path.startsWith(own))) return;
  const definition = defineServers(loaded.config).definitions.find((each) => each.name === name);
  if (definition === undefined || !definition.enabled) return;
  const serverEnv = guardRecursion(env, path);
  const manager = createServerManager({
    catalog: { add: () => () => {} },
    env: serverEnv,
    // Nothing is known of it yet: it sees no more than it would once it is configured.
    sandboxes: openSandboxes({ home, givenConfig: path, env: serverEnv, homedir: host.homedir, log }),
    // A failure is reported once, at the end.
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
