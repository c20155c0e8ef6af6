import { readAllPins } from "../../catalog/guard/pin-file.ts";
import { readConfigOf } from "../../hub/state/active-config.ts";
import { findHub } from "../../hub/state/find-hub.ts";
import { createRemoteControl } from "../../hub/control/remote-control.ts";
import { hubFiles } from "../../hub/state/hub-files.ts";
import { openHomeOf } from "../../hub/state/open-home.ts";
import { defineServers } from "../../sources/servers/definition.ts";
import type { CommandContext } from "../command-context.ts";
import type { KnownNames } from "../options.ts";

interface Names {
  readonly servers: readonly string[];
  readonly tools: readonly string[];
}

/**
 * The names that a completion script asks for: those of the running hub, else those of the configuration and the pins. It
 * connects to no server, and a shell wants no error in the middle of a line: what can't be read is left out.
 */
export async function readKnownNames(context: CommandContext, which: KnownNames): Promise<readonly string[]> {
  const { servers, tools } = await namesOfHub(context)
    .catch(() => undefined)
    .then((names) => names ?? namesOnDisk(context))
    .catch(() => none);
  const names = which === "servers" ? servers : which === "tools" ? tools : [...servers, ...tools];
  // One name a line, and nothing that a shell would take for more than a name.
  return names.filter((name) => /^[\w.-]{1,200}$/.test(name));
}

const none: Names = { servers: [], tools: [] };

async function namesOfHub(context: CommandContext): Promise<Names | undefined> {
  const hub = await findHub(await openHomeOf(context), "control");
  if (hub === undefined) return undefined;
  const control = createRemoteControl(hub);
  try {
    const [servers, tools] = await Promise.all([control.servers.list(), control.tools.list()]);
    return { servers: servers.map(({ name }) => name), tools: tools.map(({ name }) => name) };
  } finally {
    control.close();
  }
}

async function namesOnDisk(context: CommandContext): Promise<Names> {
  const { config, file } = await readConfigOf(context);
  const { definitions } = defineServers(config);
  const prefixes = new Map(definitions.map(({ name, prefix }) => [name, prefix]));
  const home = await openHomeOf(context);
  const all = await readAllPins(hubFiles.pins(home, file?.path));
  const tools = all.flatMap(({ server, pins }) => {
    const prefix = prefixes.get(server);
    if (prefix === undefined) return [];
    return pins.flatMap(({ kind, id }) => (kind === "tool" ? [prefix === "" ? id : `${prefix}__${id}`] : []));
  });
  return { servers: definitions.map(({ name }) => name), tools };
}
