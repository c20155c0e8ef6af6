import type { Catalog } from "../../catalog/catalog.ts";
import type { Guard } from "../../catalog/guard/guard.ts";
import type { CatalogTool } from "../../catalog/source.ts";
import { formatPath } from "../../core/config/config-path.ts";
import type { ConfigProblem } from "../../core/config/config-problem.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { Fault } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import {
  type DefinedServers,
  defineServers,
  type ServerDefinition,
  unknownServer,
} from "../../sources/servers/definition.ts";
import type { ServerManager } from "../../sources/servers/manager.ts";
import { addressOf, authMethodOf, nameFieldsOf, type ServerStatus } from "../../sources/servers/server-status.ts";
import type { HubControl, ListedTool, ToolCaller } from "./hub-control.ts";
import { createLocalSignInControl, type LocalSignInControlOptions } from "./local-sign-in-control.ts";

export interface LocalControlOptions extends Omit<LocalSignInControlOptions, "definitions"> {
  readonly manager: ServerManager;
  readonly catalog: Pick<Catalog, "tools" | "find" | "sources">;
  readonly log: Log;
  /** Only these servers of the configuration, where some are named. */
  readonly only?: readonly string[] | undefined;
  /** Servers stay disconnected until somebody asks for them. */
  readonly idle?: boolean | undefined;
  readonly configuration: HubControl["configuration"];
  readonly reload: HubControl["reload"];
}

/** A configuration as it was loaded. */
export interface LoadedServers {
  readonly config: Config;
  /** Servers that are off because a variable is not set. */
  readonly waiting?: readonly ConfigProblem[] | undefined;
}

/** The servers that this process keeps. */
export interface LocalControl extends HubControl {
  /** Makes the servers be those of the configuration; only what changed restarts. */
  apply(loaded: LoadedServers): Promise<void>;
  /** Lets these servers, or all of them, begin to connect. */
  start(names?: readonly string[]): Promise<void>;
  /** The servers whose tools could have this name. */
  ownersOf(tool: string): readonly string[];
}

export function createLocalControl(options: LocalControlOptions): LocalControl {
  const { manager, catalog, log, only, idle = false } = options;
  /** What was asked for by name, against how servers begin. */
  const wishes = new Map<string, boolean>();
  let defined: DefinedServers = { definitions: [], problems: [] };
  let waiting: readonly ConfigProblem[] = [];

  return {
    auth: createLocalSignInControl({ ...options, definitions: () => defined.definitions }),
    configuration: options.configuration,
    reload: options.reload,
    apply(loaded) {
      defined = select(defineServers(loaded.config), only);
      waiting = loaded.waiting ?? [];
      const names = new Set(defined.definitions.map(({ name }) => name));
      // One that comes back under an old name has been told nothing yet.
      for (const name of wishes.keys()) if (!names.has(name)) wishes.delete(name);
      for (const { server, message } of defined.problems) log.error("a server can't be used", { server, message });
      return applyWanted();
    },
    start(names = defined.definitions.map(({ name }) => name)) {
      for (const name of names) wishes.set(requireDefined(name).name, true);
      return applyWanted();
    },
    ownersOf: (tool) =>
      defined.definitions.flatMap(({ name, prefix }) =>
        prefix === "" || tool.startsWith(`${prefix}__`) ? [name] : [],
      ),
    servers: () => Promise.resolve(list()),
    tools(source) {
      if (source !== undefined) requireSource(source);
      const found = catalog.tools().filter((tool) => source === undefined || tool.source.id === source);
      return Promise.resolve(found.map(listed));
    },
    findTool(name) {
      const found = catalog.find(name);
      return Promise.resolve(found && listed(found));
    },
    async connect(name) {
      requireDefined(name);
      if (!isWanted(name)) {
        wishes.set(name, true);
        await applyWanted();
      }
      requireConnectable(name);
      return manager.refresh(name);
    },
    async disconnect(name) {
      const definition = requireDefined(name);
      wishes.set(name, false);
      await applyWanted();
      return dormant(definition);
    },
    async refresh(name) {
      if (name !== undefined) {
        requireConnectable(name);
        return [await manager.refresh(name)];
      }
      await Promise.allSettled(manager.names().map((each) => manager.refresh(each)));
      return list();
    },
    logs(name) {
      requireConnectable(name);
      return Promise.resolve(manager.logs(name));
    },
  };

  function isWanted(name: string): boolean {
    return wishes.get(name) ?? !idle;
  }

  function applyWanted(): Promise<void> {
    return manager.apply(defined.definitions.filter(({ name }) => isWanted(name)));
  }

  function list(): ServerStatus[] {
    const managed = new Set(manager.names());
    const known = defined.definitions.map((each) =>
      managed.has(each.name) ? manager.status(each.name) : dormant(each),
    );
    const wrong = defined.problems.map(({ server, message }) => ({
      ...nothing,
      name: server,
      address: "",
      state: "unusable",
      reason: message,
    }));
    return [...known, ...wrong];
  }

  function requireDefined(name: string): ServerDefinition {
    const found = defined.definitions.find((each) => each.name === name);
    if (found !== undefined) return found;
    throw unknownServer(
      name,
      defined.definitions.map((each) => each.name),
    );
  }

  function requireConnectable(name: string): void {
    const { enabled } = requireDefined(name);
    const lacks = lackOf(name);
    if (lacks !== undefined) throw new Fault("unavailable", `The server ${name} is off: ${lacks}.`);
    if (!enabled)
      throw new Fault("unavailable", `The server ${name} is switched off: it has enabled: false in the configuration.`);
    if (!isWanted(name))
      throw new Fault("unavailable", `The server ${name} is disconnected; "connect ${name}" brings it back.`);
  }

  function requireSource(id: string): void {
    const ids = new Set([...catalog.sources().map((each) => each.id), ...defined.definitions.map((each) => each.name)]);
    if (!ids.has(id)) throw unknownServer(id, [...ids]);
  }

  function dormant(definition: ServerDefinition): ServerStatus {
    const lacks = lackOf(definition.name);
    return {
      ...nothing,
      ...nameFieldsOf(definition),
      address: addressOf(definition.transport),
      state: definition.enabled ? "disconnected" : "disabled",
      ...(lacks !== undefined && { reason: lacks }),
      auth: authMethodOf(definition),
    };
  }

  /** Which variables it needs that are not set, as a sentence without its end. */
  function lackOf(name: string): string | undefined {
    const own = formatPath(["servers", name]);
    const names = waiting.flatMap(({ path, variable }) =>
      variable !== undefined && (path.startsWith(`${own}.`) || path.startsWith(`${own}[`)) ? [variable] : [],
    );
    const [first, ...more] = new Set(names);
    if (first === undefined) return undefined;
    return `${[first, ...more].join(", ")} ${more.length === 0 ? "is" : "are"} not set in the environment`;
  }
}

const nothing = { auth: "None", tools: 0, resources: 0, prompts: 0 } as const;

function select(defined: DefinedServers, only: readonly string[] | undefined): DefinedServers {
  if (only === undefined) return defined;
  return {
    definitions: defined.definitions.filter(({ name }) => only.includes(name)),
    problems: defined.problems.filter(({ server }) => only.includes(server)),
  };
}

function listed({ name, source, tool }: CatalogTool): ListedTool {
  return { ...tool, name, source: source.id };
}

/** Calls tools of this process's catalog. */
export function createLocalCaller(catalog: Pick<Catalog, "find">, guard: Pick<Guard, "call">): ToolCaller {
  return {
    async call({ name }, args, context) {
      const tool = catalog.find(name);
      if (tool === undefined) throw new Fault("unknown-tool", `The tool ${name} has just gone. List the tools again.`);
      return guard.call(tool, args, context);
    },
  };
}
