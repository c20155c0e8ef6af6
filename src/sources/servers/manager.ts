import type { Source } from "../../catalog/source.ts";
import { Fault, isFault } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import type { ServerMetrics } from "../../core/telemetry/clawport-metrics.ts";
import type { Answer, Question } from "../../mcp/messages/interim-messages.ts";
import { occupiesSlot } from "./connection/connection-state.ts";
import { type Connection, createConnection } from "./connection/connection.ts";
import { createSlots } from "./connection/slots.ts";
import { type ServerDefinition, unknownServer } from "./definition.ts";
import type { ConnectionAuths } from "./oauth/connection-auth.ts";
import { createServerSource, type SampleForServer } from "./server-source.ts";
import { type ServerStatus, serverStatusOf } from "./server-status.ts";
import { createSharedServers, type SharedServer } from "./shared-servers.ts";

export interface ServerManagerOptions {
  /** Where the servers' sources go and leave again. */
  readonly catalog: { add(source: Source): () => void };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly version: string;
  readonly maxConcurrent: number;
  readonly discoveryMs: number;
  readonly now?: (() => number) | undefined;
  readonly metrics?: ServerMetrics | undefined;
  /** The servers are hubs that calls are handed on to, each in the name of its caller. */
  readonly isRelay?: boolean | undefined;
  /** Signs in to servers that ask for it. Without it they are refused. */
  readonly auths?: ConnectionAuths | undefined;
  /** Answers `sampling/createMessage` where the caller can't. Without it sampling is refused then. */
  readonly sample?: SampleForServer | undefined;
}

/** All configured servers: connected side by side, no more at once than allowed, changed while running. */
export interface ServerManager {
  /** Makes the servers be these: new ones start, changed ones restart, missing ones stop, the others are left alone. */
  apply(definitions: readonly ServerDefinition[]): Promise<void>;
  names(): readonly string[];
  status(name: string): ServerStatus;
  /** Reads a server's lists again; connects it where needed. */
  refresh(name: string): Promise<ServerStatus>;
  /** What the server last said on stderr. */
  logs(name: string): string;
  /** Resolves when every server has been tried once, or after the time: with what is there. */
  settled(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

interface ManagedServer {
  readonly definition: ServerDefinition;
  readonly shared: SharedServer;
  readonly source: Source;
  readonly removeSource: () => void;
  first: Promise<void>;
}

export function createServerManager(options: ServerManagerOptions): ServerManager {
  const { catalog, env, log, version, maxConcurrent, discoveryMs, now = Date.now } = options;
  const servers = new Map<string, ManagedServer>();
  const slots = createSlots(maxConcurrent);
  const pool = createSharedServers({ log, discoveryMs, now, connect: openConnection, onStop: slots.leave });
  const closing = new AbortController();
  const stopWatching = options.metrics?.watchStates(() =>
    Array.from(servers.values(), ({ shared }) => shared.connection.state().kind),
  );
  let latest: readonly ServerDefinition[] = [];
  let applying: Promise<void> = Promise.resolve();

  return {
    apply(definitions) {
      latest = definitions;
      // In turn, and what is the latest then: what was replaced before its turn came need not start.
      const applied = applying.then(() => become(latest));
      applying = applied.catch(() => {});
      return applied;
    },
    names: () => [...servers.keys()],
    status: (name) => statusNow(known(name)),
    async refresh(name) {
      const server = known(name);
      await server.shared.lists.refresh();
      return statusNow(server);
    },
    logs: (name) => known(name).shared.connection.stderr.text(),
    async settled(withinMs) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, withinMs);
      });
      await Promise.race([Promise.all([...servers.values()].map(({ first }) => first)), late]);
      clearTimeout(timer);
    },
    async close() {
      closing.abort(new Fault("cancelled", "The servers are being closed."));
      stopWatching?.();
      await Promise.all([...servers.keys()].map(remove));
    },
  };

  async function become(definitions: readonly ServerDefinition[]): Promise<void> {
    const wanted = new Map(definitions.filter(({ enabled }) => enabled).map((each) => [each.name, each]));
    await Promise.all(
      [...servers.values()].map(async (server) => {
        if (!isSameDefinition(server.definition, wanted.get(server.definition.name)))
          await remove(server.definition.name);
      }),
    );
    for (const definition of wanted.values()) if (!servers.has(definition.name)) start(definition);
  }

  function statusNow({ definition, shared, source }: ManagedServer): ServerStatus {
    return serverStatusOf(definition, shared.connection, source.tools().length, shared.lists.current());
  }

  function openConnection(definition: ServerDefinition): Connection {
    const connection = createConnection({
      definition,
      env,
      log: log.with({ server: definition.name }),
      version,
      now,
      auth: options.auths?.of(definition),
      ask: (question) => answer(question, definition),
      admit: slots.take,
      hasRoom: slots.hasRoom,
    });
    connection.listen({
      onState(state) {
        if (!occupiesSlot(state)) slots.leave(connection);
        if (state.kind === "reconnecting") countReconnect(connection);
      },
      onIdle: slots.stir,
    });
    return connection;
  }

  function countReconnect(connection: Connection): void {
    for (const { definition, shared } of servers.values())
      if (shared.connection === connection) options.metrics?.reconnecting(definition.name);
  }

  function start(definition: ServerDefinition): void {
    const shared = pool.join(definition);
    const source = createServerSource(definition, shared, options);
    const removeSource = catalog.add(source);
    const server: ManagedServer = { definition, shared, source, removeSource, first: Promise.resolve() };
    servers.set(definition.name, server);
    const serverLog = log.with({ server: definition.name });
    const connect = async () => {
      try {
        await shared.lists.refresh();
      } catch (error) {
        // Who has to sign in was told so already, and one that was taken out while it connected is nobody's concern.
        if (isFault(error, "unauthorized") || servers.get(definition.name) !== server) return;
        serverLog.warn("the server could not be connected", { error });
      }
    };
    // Those beyond the limit get their turn one by one, so that what they offer is known; then they wait for a call.
    server.first = pool.size <= maxConcurrent ? connect() : afterOthers(connect, server);
  }

  async function afterOthers(connect: () => Promise<void>, server: ManagedServer): Promise<void> {
    await Promise.all([...servers.values()].filter((each) => each !== server).map(({ first }) => first));
    if (servers.get(server.definition.name) === server) await connect();
  }

  async function remove(name: string): Promise<void> {
    const server = servers.get(name);
    if (!server) return;
    servers.delete(name);
    server.removeSource();
    await server.source.close();
  }

  async function answer(question: Question, definition: ServerDefinition): Promise<Answer> {
    if (question.method === "roots/list") return { roots: definition.roots };
    if (question.method === "sampling/createMessage" && options.sample)
      return options.sample(definition.name, question, { signal: closing.signal, log });
    throw new Fault("missing-capability", `Nobody is there to answer what ${definition.name} asks.`);
  }

  function known(name: string): ManagedServer {
    const server = servers.get(name);
    if (server) return server;
    throw unknownServer(name, [...servers.keys()]);
  }
}

/** The fingerprint covers the connection; how its tools are shown, trusted and named is compared beside it. */
function isSameDefinition(one: ServerDefinition, other: ServerDefinition | undefined): boolean {
  if (!other || one.fingerprint !== other.fingerprint) return false;
  const shown = ({ prefix, tools, trusted, share, name }: ServerDefinition) =>
    JSON.stringify({ prefix, tools, trusted, share, name });
  return shown(one) === shown(other);
}
