import type { Caller } from "../../catalog/caller.ts";
import type { ClientTransport } from "../../mcp/client/client-transport.ts";
import type { Params } from "../../mcp/messages/json-rpc.ts";
import type { Era } from "../../mcp/messages/protocol-version.ts";
import type { ScreenReport } from "../../catalog/guard/screen-source.ts";
import type { Source } from "../../catalog/source.ts";
import { Fault, isFault } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import type { Env } from "../../core/process/child-env.ts";
import type { ServerMetrics } from "../../core/telemetry/clawport-metrics.ts";
import { settledWithin } from "../../core/wait.ts";
import { answerServer, type SampleForServer } from "./answer-server.ts";
import { occupiesSlot } from "./connection/connection-state.ts";
import { type Connection, createConnection } from "./connection/connection.ts";
import { createSlots } from "./connection/slots.ts";
import { type ServerDefinition, type StdioTarget, unknownServer } from "./definition.ts";
import type { ListStore, StoredLists } from "./lists/list-store.ts";
import type { ConnectionAuths } from "./oauth/connection-auth.ts";
import type { Sandboxes } from "./sandbox/sandboxes.ts";
import type { SafeRequestOptions } from "./safe-request.ts";
import { createServerSource } from "./server-source.ts";
import { type ServerStatus, serverStatusOf } from "./server-status.ts";
import { createSharedServers, type SharedServer } from "./shared-servers.ts";
import { messageForUser } from "./stdio/server-exit.ts";
import { createSerialQueue } from "../../core/serial-queue.ts";

export interface ServerManagerOptions {
  /** What was noticed about the lists of a server; undefined if nothing was. */
  reportOf?(name: string): ScreenReport | undefined;
  /** Gets a source for each server. */
  readonly catalog: { add(source: Source): () => void };
  readonly env: Env;
  readonly log: Log;
  readonly version: string;
  readonly maxConcurrent: number;
  readonly discoveryMs: number;
  readonly now?: (() => number) | undefined;
  readonly metrics?: ServerMetrics | undefined;
  /** Remembers what servers offer. Without it every server is connected before it is used. */
  readonly store?: ListStore | undefined;
  /** What is stored is not used: the user wants to know how the servers are now. */
  readonly isFresh?: boolean | undefined;
  /** The servers are hubs: each call is forwarded on behalf of its client. */
  readonly isRelay?: boolean | undefined;
  /** Signs in to servers that ask for it. Without it, calls to them fail. */
  readonly auths?: ConnectionAuths | undefined;
  /** Awaited before a command starts, also again. Faults if it may not. */
  readonly checkCommand?: ((command: StdioTarget) => Promise<void>) | undefined;
  /** What keeps commands from the rest of the computer. Without it, nothing does. */
  readonly sandboxes?: Sandboxes | undefined;
  /** Used in place of starting stdio servers. */
  openTransport?(): ClientTransport;
  /** Answers `sampling/createMessage` if the caller can't. Without it, sampling is then refused. */
  readonly sample?: SampleForServer | undefined;
  /** Whether `sample` has a model to answer with; true unless given. */
  readonly hasModel?: boolean | undefined;
  /** Says who asked for a call, to servers that are told. */
  identify?(server: ServerDefinition, call: Params, caller: Caller): string;
  /** Signs in for a call that needs it. Without it, such calls fail. */
  stepUp?: NonNullable<SafeRequestOptions["stepUp"]>;
  /** The user had signed in to this server, and has to do so again. */
  onSignInLost?(server: string): void;
}

/** All configured servers: connects them in parallel up to the limit, and follows changes of the configuration. */
export interface ServerManager {
  /** Starts the servers that are new, restarts those that changed, stops those that are missing. */
  apply(definitions: readonly ServerDefinition[]): Promise<void>;
  names(): readonly string[];
  status(name: string): ServerStatus;
  /** Fetches a server's lists again, and connects it first if needed. */
  refresh(name: string): Promise<ServerStatus>;
  /** The last output of the server on stderr. */
  logs(name: string): string;
  /** Resolves when each server has been tried once, or after the given time. */
  settled(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

interface ManagedServer {
  readonly definition: ServerDefinition;
  readonly shared: SharedServer;
  readonly source: Source;
  readonly removeSource: () => void;
  firstAttempt: Promise<void>;
  /** Its lists were known before it was connected: no one has to wait for it. */
  readonly isKnown: boolean;
}

export function createServerManager(options: ServerManagerOptions): ServerManager {
  const { catalog, env, log, version, maxConcurrent, discoveryMs, now = Date.now } = options;
  const servers = new Map<string, ManagedServer>();
  const slots = createSlots(maxConcurrent);
  const { store, isFresh = false } = options;
  const pool = createSharedServers({
    log,
    discoveryMs,
    now,
    store: isFresh && store ? { save: store.save } : store,
    connect: openConnection,
    onStop: slots.leave,
  });
  const closing = new AbortController();
  const stopWatching = options.metrics?.watchStates(() =>
    Array.from(servers.values(), ({ shared }) => shared.connection.state().kind),
  );
  let latest: readonly ServerDefinition[] = [];
  const runSerially = createSerialQueue();

  return {
    apply(definitions) {
      latest = definitions;
      // Always with the latest: definitions that were replaced before their turn never start.
      return runSerially(() => applyNow(latest));
    },
    names: () => [...servers.keys()],
    status: (name) => statusNow(requireServer(name)),
    async refresh(name) {
      const server = requireServer(name);
      try {
        await server.shared.lists.refresh();
      } catch (error) {
        throw forUser(error);
      }
      return statusNow(server);
    },
    logs: (name) => requireServer(name).shared.connection.stderr.text(),
    async settled(withinMs) {
      const awaited = [...servers.values()].filter(({ isKnown }) => !isKnown);
      await settledWithin(Promise.all(awaited.map(({ firstAttempt }) => firstAttempt)), withinMs);
    },
    async close() {
      closing.abort(new Fault("cancelled", "The servers are being closed."));
      stopWatching?.();
      await Promise.all([...servers.keys()].map(remove));
      await store?.settled();
    },
  };

  async function applyNow(definitions: readonly ServerDefinition[]): Promise<void> {
    const enabledServers = new Map(definitions.filter(({ enabled }) => enabled).map((each) => [each.name, each]));
    await Promise.all(
      [...servers.values()].map(async (server) => {
        if (!isSameDefinition(server.definition, enabledServers.get(server.definition.name)))
          await remove(server.definition.name);
      }),
    );
    for (const definition of enabledServers.values()) if (!servers.has(definition.name)) start(definition);
  }

  function statusNow({ definition, shared, source }: ManagedServer): ServerStatus {
    const status = serverStatusOf(definition, shared, source.tools().length);
    const lists = options.reportOf?.(definition.name);
    const sandbox = options.sandboxes?.describe(definition);
    return { ...status, ...(lists !== undefined && { lists }), ...(sandbox !== undefined && { sandbox }) };
  }

  function openConnection(
    definition: ServerDefinition,
    serverLog: Log,
    stored: StoredLists | undefined,
    era: Era | undefined,
  ): Connection {
    const connection = createConnection({
      definition,
      env,
      log: serverLog,
      version,
      now,
      openTransport: options.openTransport,
      auth: options.auths?.of(definition),
      async prepareStart() {
        if (definition.transport.kind !== "stdio") return undefined;
        await options.checkCommand?.(definition.transport);
        return options.sandboxes?.cageOf(definition, (line) =>
          connection.stderr.push(Buffer.from(`clawport: ${line}\n`)),
        );
      },
      ask: (question) => answerServer(question, definition, options.sample, { signal: closing.signal, log }),
      admit: slots.take,
      hasRoom: slots.hasRoom,
      era: definition.transport.kind === "stdio" ? era : undefined,
      isAsleep: stored !== undefined && definition.isLazy,
    });
    connection.listen({
      onState(state) {
        if (!occupiesSlot(state)) slots.leave(connection);
        if (state.kind === "reconnecting") countReconnect(connection);
      },
      onSignInLost: () => namesOf(connection).forEach((name) => options.onSignInLost?.(name)),
      onIdle: slots.wake,
    });
    return connection;
  }

  function countReconnect(connection: Connection): void {
    for (const name of namesOf(connection)) options.metrics?.reconnecting(name);
  }

  function namesOf(connection: Connection): readonly string[] {
    const all = [...servers.values()].filter(({ shared }) => shared.connection === connection);
    return all.map(({ definition }) => definition.name);
  }

  function start(definition: ServerDefinition): void {
    const shared = pool.join(definition);
    const source = createServerSource(definition, shared, options);
    const removeSource = catalog.add(source);
    const isKnown = shared.lists.isKnown();
    const server: ManagedServer = {
      definition,
      shared,
      source,
      removeSource,
      firstAttempt: Promise.resolve(),
      isKnown,
    };
    servers.set(definition.name, server);
    if (shared.connection.state().kind === "sleeping") return;
    const connect = async () => {
      try {
        await shared.lists.refresh();
      } catch (error) {
        // A needed sign-in is reported already, and a server that was removed while it connected does not matter.
        if (isFault(error, "unauthorized") || servers.get(definition.name) !== server) return;
        log.warn("could not connect to the server", { server: definition.name, error });
      }
    };
    // Servers beyond the limit connect one by one, to learn what they offer, and then wait for a call.
    server.firstAttempt = pool.size <= maxConcurrent ? connect() : connectAfterOthers(connect, server);
  }

  async function connectAfterOthers(connect: () => Promise<void>, server: ManagedServer): Promise<void> {
    await Promise.all([...servers.values()].filter((each) => each !== server).map(({ firstAttempt: first }) => first));
    if (servers.get(server.definition.name) === server) await connect();
  }

  async function remove(name: string): Promise<void> {
    const server = servers.get(name);
    if (!server) return;
    servers.delete(name);
    server.removeSource();
    await server.source.close();
  }

  function requireServer(name: string): ManagedServer {
    const server = servers.get(name);
    if (server) return server;
    throw unknownServer(name, [...servers.keys()]);
  }
}

/** The user may see what a server printed before it exited; a caller of its tools gets only the reason. */
function forUser(error: unknown): unknown {
  if (!(error instanceof Fault)) return error;
  const message = messageForUser(error);
  return message === error.message ? error : new Fault(error.code, message, { detail: error.detail, cause: error });
}

/** The fingerprint covers the connection; how the tools are named, selected and trusted is compared besides. */
function isSameDefinition(one: ServerDefinition, other: ServerDefinition | undefined): boolean {
  if (!other || one.fingerprint !== other.fingerprint) return false;
  const shown = ({ prefix, tools, trusted, checksArguments, identity, share, name }: ServerDefinition) =>
    JSON.stringify({ prefix, tools, trusted, checksArguments, identity, share, name });
  return shown(one) === shown(other);
}
