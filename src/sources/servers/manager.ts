import type { Source } from "../../catalog/tool-source.ts";
import { Fault, isFault } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import type { Answer, Question } from "../../mcp/question.ts";
import { isUp } from "./connection-state.ts";
import { type Connection, createConnection } from "./connection.ts";
import type { ServerDefinition } from "./definition.ts";
import type { ConnectionAuths } from "./oauth/connection-auth.ts";
import { createServerSource, type ServerSource } from "./server-source.ts";
import { type ServerStatus, statusOf } from "./server-status.ts";
import { createSlots } from "./slots.ts";

export interface ServerManagerOptions {
  /** Where the servers' sources go and leave again. */
  readonly catalog: { add(source: Source): () => void };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly version: string;
  readonly maxConcurrent: number;
  readonly discoveryMs: number;
  readonly now?: (() => number) | undefined;
  /** Signs in to servers that ask for it. Without it they are refused. */
  readonly auths?: ConnectionAuths | undefined;
  /** Answers `sampling/createMessage`, where there is a model. Without it sampling is refused. */
  readonly sample?: ((question: Question) => Promise<Answer>) | undefined;
}

/** All configured servers: connected side by side, no more at once than allowed, changed while running. */
export interface ServerManager {
  /** Makes the servers be these: new ones start, changed ones restart, missing ones stop, the others are left alone. */
  apply(definitions: readonly ServerDefinition[]): Promise<void>;
  names(): readonly string[];
  status(name: string): ServerStatus;
  /** Reads a server's lists again; connects it where needed. */
  refresh(name: string): Promise<ServerStatus>;
  /** Connects a server that is not connected yet, and waits for it. */
  connect(name: string): Promise<ServerStatus>;
  disconnect(name: string): Promise<void>;
  /** What the server last said on stderr. */
  logs(name: string): string;
  /** Resolves when every server has been tried once, or after the time: with what is there. */
  settled(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

interface Managed {
  readonly definition: ServerDefinition;
  readonly connection: Connection;
  readonly source: ServerSource;
  readonly removeSource: () => void;
  first: Promise<void>;
}

export function createServerManager(options: ServerManagerOptions): ServerManager {
  const { catalog, env, log, version, maxConcurrent, discoveryMs, now = Date.now } = options;
  const servers = new Map<string, Managed>();
  const slots = createSlots(maxConcurrent);
  let applying: Promise<void> = Promise.resolve();

  return {
    apply(definitions) {
      // In turn: the later one of two has to be the one that counts.
      const applied = applying.then(() => become(definitions));
      applying = applied.catch(() => {});
      return applied;
    },
    names: () => [...servers.keys()],
    status: (name) => statusOf(known(name).connection, known(name).source),
    async refresh(name) {
      const { connection, source } = known(name);
      await source.lists.refresh();
      return statusOf(connection, source);
    },
    async connect(name) {
      const { connection, source } = known(name);
      await source.lists.refresh();
      return statusOf(connection, source);
    },
    disconnect: (name) => {
      known(name);
      return remove(name);
    },
    logs: (name) => known(name).connection.stderr.text(),
    async settled(withinMs) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, withinMs);
      });
      await Promise.race([Promise.all([...servers.values()].map(({ first }) => first)), late]);
      clearTimeout(timer);
    },
    async close() {
      await Promise.all([...servers.keys()].map(remove));
    },
  };

  async function become(definitions: readonly ServerDefinition[]): Promise<void> {
    const wanted = new Map(definitions.filter(({ enabled }) => enabled).map((each) => [each.name, each]));
    await Promise.all(
      [...servers.values()].map(async (server) => {
        if (!isSame(server.definition, wanted.get(server.definition.name))) await remove(server.definition.name);
      }),
    );
    for (const definition of wanted.values()) if (!servers.has(definition.name)) start(definition);
  }

  function start(definition: ServerDefinition): void {
    const serverLog = log.with({ server: definition.name });
    const connection = createConnection({
      definition,
      env,
      log: serverLog,
      version,
      now,
      auth: options.auths?.of(definition),
      ask: (question) => answer(question, definition),
      admit: slots.take,
      hasRoom: slots.hasRoom,
    });
    connection.listen({
      onState: (state) => isUp(state) || slots.leave(connection),
      onIdle: slots.stir,
    });
    const source = createServerSource({ connection, log: serverLog, discoveryMs });
    const server: Managed = {
      definition,
      connection,
      source,
      removeSource: catalog.add(source),
      first: Promise.resolve(),
    };
    servers.set(definition.name, server);
    const connect = async () => {
      try {
        await source.lists.refresh();
      } catch (error) {
        // Who has to sign in was told so already.
        if (!isFault(error, "unauthorized")) serverLog.warn("the server could not be connected", { error });
      }
    };
    // Those beyond the limit get their turn one by one, so that what they offer is known; then they wait for a call.
    server.first = servers.size <= maxConcurrent ? connect() : afterOthers(connect, server);
  }

  async function afterOthers(connect: () => Promise<void>, server: Managed): Promise<void> {
    await Promise.all([...servers.values()].filter((each) => each !== server).map(({ first }) => first));
    if (servers.get(server.definition.name) === server) await connect();
  }

  async function remove(name: string): Promise<void> {
    const server = servers.get(name);
    if (!server) return;
    servers.delete(name);
    server.removeSource();
    await server.source.close();
    slots.leave(server.connection);
  }

  async function answer(question: Question, definition: ServerDefinition): Promise<Answer> {
    if (question.method === "roots/list") return { roots: definition.roots };
    if (question.method === "sampling/createMessage" && options.sample) return options.sample(question);
    throw new Fault("missing-capability", `Nobody is there to answer what ${definition.name} asks.`);
  }

  function known(name: string): Managed {
    const server = servers.get(name);
    if (server) return server;
    const names = [...servers.keys()].join(", ") || "none";
    throw new Fault("not-found", `There is no server ${JSON.stringify(name)}. There are: ${names}.`);
  }
}

/** The fingerprint covers the connection; how its tools are shown, trusted and named is compared beside it. */
function isSame(one: ServerDefinition, other: ServerDefinition | undefined): boolean {
  if (!other || one.fingerprint !== other.fingerprint) return false;
  const shown = ({ prefix, tools, trusted, name }: ServerDefinition) =>
    JSON.stringify({ prefix, tools, trusted, name });
  return shown(one) === shown(other);
}
