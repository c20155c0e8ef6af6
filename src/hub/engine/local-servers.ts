import { loadScreener } from "../../catalog/guard/findings/load-screener.ts";
import { mayHavePrefix } from "../../catalog/names.ts";
import { formatPath } from "../../core/config/config-path.ts";
import type { ConfigProblem } from "../../core/config/config-problem.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { isReference } from "../../core/config/substitute-env.ts";
import { Fault } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import {
  type DefinedServers,
  defineServers,
  type ServerDefinition,
  unknownServer,
} from "../../sources/servers/definition.ts";
import type { ServerManager } from "../../sources/servers/manager.ts";
import { authMethodOf, nameFieldsOf, serverAddress, type ServerStatus } from "../../sources/servers/server-status.ts";

export interface LocalServersOptions {
  readonly manager: ServerManager;
  readonly log: Log;
  /** Only these of the configured servers. */
  readonly only?: readonly string[] | undefined;
  /** Servers stay disconnected until they are asked for. */
  readonly idle?: boolean | undefined;
}

/** A configuration as it was loaded. */
export interface LoadedServers {
  readonly config: Config;
  /** Servers that are off because a variable is not set. */
  readonly waiting?: readonly ConfigProblem[] | undefined;
}

/** The servers of this process. */
export interface LocalServers {
  /** Every configured server, including those that are disabled or disconnected. */
  list(): Promise<readonly ServerStatus[]>;
  /** Connects a configured server and fetches its lists. Faults if that fails. */
  connect(name: string): Promise<ServerStatus>;
  /** Closes the connection until `connect` is called. The configuration stays as it is. */
  disconnect(name: string): Promise<ServerStatus>;
  /** Fetches the lists of one server again, or of all. If one of many fails, its status says so. */
  refresh(name?: string): Promise<readonly ServerStatus[]>;
  /** The last output of the server on stderr. */
  logs(name: string): Promise<string>;
  /** Replaces the servers with those of the configuration; only what changed restarts. */
  apply(loaded: LoadedServers): Promise<void>;
  /** Starts to connect these servers, or all of them. */
  start(names?: readonly string[]): Promise<void>;
  /** The servers that a tool of this name could belong to. */
  ownersOf(tool: string): readonly string[];
  definitions(): readonly ServerDefinition[];
}

export function createLocalServers({ manager, log, only, idle = false }: LocalServersOptions): LocalServers {
  /** Servers that were connected or disconnected by name. */
  const requested = new Map<string, boolean>();
  let defined: DefinedServers = { definitions: [], problems: [] };
  let waiting: readonly ConfigProblem[] = [];

  return {
    apply(loaded) {
      defined = select(defineServers(loaded.config), only);
      waiting = loaded.waiting ?? [];
      const names = new Set(defined.definitions.map(({ name }) => name));
      // A server that is added again later starts like a new one.
      for (const name of requested.keys()) if (!names.has(name)) requested.delete(name);
      for (const { server, message } of defined.problems) log.error("a server can't be used", { server, message });
      return applyRequested();
    },
    start(names = defined.definitions.map(({ name }) => name)) {
      for (const name of names) requested.set(requireDefined(name).name, true);
      return applyRequested();
    },
    ownersOf: (tool) => defined.definitions.flatMap(({ name, prefix }) => (mayHavePrefix(tool, prefix) ? [name] : [])),
    definitions: () => defined.definitions,
    list: () => Promise.resolve(list()),
    async connect(name) {
      requireDefined(name);
      if (!isRequested(name)) {
        requested.set(name, true);
        await applyRequested();
      }
      requireConnectable(name);
      return manager.refresh(name);
    },
    async disconnect(name) {
      const definition = requireDefined(name);
      requested.set(name, false);
      await applyRequested();
      return statusOfUnmanaged(definition);
    },
    async refresh(name) {
      if (name !== undefined) {
        requireConnectable(name);
        return [await manager.refresh(name)];
      }
      await Promise.allSettled(manager.names().map((each) => manager.refresh(each)));
      return list();
    },
    async logs(name) {
      requireConnectable(name);
      return manager.logs(name);
    },
  };

  function isRequested(name: string): boolean {
    return requested.get(name) ?? !idle;
  }

  async function applyRequested(): Promise<void> {
    if (defined.definitions.some(({ name, enabled }) => enabled && isRequested(name))) await loadScreener();
    return manager.apply(defined.definitions.filter(({ name }) => isRequested(name)));
  }

  function list(): ServerStatus[] {
    const managed = new Set(manager.names());
    const known = defined.definitions.map((each) =>
      managed.has(each.name) ? manager.status(each.name) : statusOfUnmanaged(each),
    );
    const unusable = defined.problems.map(({ server, message }) => ({
      ...nothing,
      name: server,
      address: "",
      state: "unusable",
      reason: message,
    }));
    return [...known, ...unusable];
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
    const missing = missingVariables(name);
    if (missing !== undefined) throw new Fault("unavailable", `The server ${name} is off: ${missing}.`);
    if (!enabled)
      throw new Fault("unavailable", `The server ${name} is disabled: it has \`enabled: false\` in the configuration.`);
    if (!isRequested(name))
      throw new Fault(
        "unavailable",
        `The server ${name} is disconnected. Run \`clawport connect ${name}\` to reconnect it.`,
      );
  }

  function statusOfUnmanaged(definition: ServerDefinition): ServerStatus {
    const missing = missingVariables(definition.name);
    return {
      ...nothing,
      ...nameFieldsOf(definition),
      address: serverAddress(definition),
      ...(missing === undefined
        ? { state: definition.enabled ? "disconnected" : "disabled" }
        : { state: "needs-variable", reason: missing }),
      auth: authMethodOf(definition),
    };
  }

  /** The variables and secrets it needs that are missing, as a clause. */
  function missingVariables(name: string): string | undefined {
    const own = formatPath(["servers", name]);
    const names = waiting.flatMap(({ path, variable }) =>
      variable !== undefined && (path.startsWith(`${own}.`) || path.startsWith(`${own}[`)) ? [variable] : [],
    );
    const variables = [...new Set(names.filter((each) => !isReference(each)))];
    // Models read this: the command that a secret comes from, or its file, is not for them.
    const kinds = [...new Set(names.filter(isReference).map((each) => each.split(":", 1)[0]))];
    const clauses = [
      ...(variables.length === 0
        ? []
        : [`${variables.join(", ")} ${variables.length === 1 ? "is" : "are"} not set in the environment`]),
      ...(kinds.length === 0
        ? []
        : [`a secret (${kinds.join(", ")}) can't be used; \`clawport config check\` says why`]),
    ];
    return clauses.length === 0 ? undefined : clauses.join(", and ");
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
