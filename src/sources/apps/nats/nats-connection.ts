import { readFile } from "node:fs/promises";
import { JetStreamApiError, jetstreamManager } from "@nats-io/jetstream";
import { connect, credsAuthenticator, type NatsConnection, TimeoutError } from "@nats-io/transport-node";
import { Fault, messageOf } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import type { Secret } from "../../../core/secrets/secret.ts";
import { sleep } from "../../../core/wait.ts";
import { type Channel, createChannel } from "./channel.ts";
import { createSeal, type Seal } from "./seal.ts";

/** How this process reaches NATS. */
export interface NatsOptions {
  /** `nats://` or `tls://` addresses of one cluster. User, password or token may be part of them. */
  readonly servers: readonly string[];
  /** What the names of subjects and buckets begin with: deployments that share a NATS keep out of each other's way. */
  readonly prefix: string;
  /** A file with a user's JWT and key, as `nsc` writes it. */
  readonly credentialsFile?: string | undefined;
  /** A file with the certificates of the authorities that the server's certificate must come from. */
  readonly caFile?: string | undefined;
  /** What all instances of the deployment, and no others, know. Without one nothing is sealed. */
  readonly keys?: readonly Secret[] | undefined;
  /** Takes what is not sealed as well, for as long as instances without the key are running. */
  readonly acceptUnsealed?: boolean | undefined;
}

/** Two connections: large pieces on the second, so that small messages never wait behind them. */
export interface NatsLinks extends AsyncDisposable {
  readonly main: NatsConnection;
  readonly bulk: NatsConnection;
  /** What instances send each other over the two. */
  readonly calls: Channel;
  readonly pieces: Channel;
  readonly seal: Seal | undefined;
  readonly acceptUnsealed: boolean;
  readonly prefix: string;
  readonly log: Log;
  isConnected(): boolean;
  /** How often the main connection was lost and came back. */
  readonly reconnects: number;
  /** Called after the main connection was lost and is back. What was sent meanwhile may be lost. */
  onReconnect(listener: () => void): void;
  /** Called after a bucket was lost and is back, perhaps without what it held. */
  onRestored(listener: () => void): void;
  noteRestored(): void;
}

const oldestServer = [2, 9] as const;

export async function openNatsLinks(options: NatsOptions, log: Log): Promise<NatsLinks> {
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(options.prefix))
    throw new Fault("config", "The subject prefix must be 1 to 32 letters, digits, dashes or underscores.");
  const main = await dial(options, "main");
  let bulk: NatsConnection;
  try {
    await checkServer(main);
    bulk = await dial(options, "bulk");
  } catch (error) {
    await main.close();
    throw error;
  }
  const { prefix, keys = [], acceptUnsealed = false } = options;
  const seal = createSeal({ keys, prefix });
  if (seal === undefined) log.warn(`messages and sessions on NATS are not sealed: ${unsealedDanger} ${keyAdvice}`);
  else if (acceptUnsealed)
    log.warn(`messages and sessions on NATS are taken without a seal: ${unsealedDanger} ${acceptAdvice}`);
  const channel = { seal, acceptUnsealed, inboxPrefix: inboxOf(prefix), log };
  const listeners = new Set<() => void>();
  const restoreListeners = new Set<() => void>();
  let connected = true;
  let reconnects = 0;
  void follow();

  return {
    main,
    bulk,
    calls: createChannel(main, channel),
    pieces: createChannel(bulk, channel),
    seal,
    acceptUnsealed,
    prefix,
    log,
    isConnected: () => connected && !main.isClosed(),
    get reconnects() {
      return reconnects;
    },
    onReconnect: (listener) => void listeners.add(listener),
    onRestored: (listener) => void restoreListeners.add(listener),
    noteRestored() {
      for (const listener of restoreListeners) listener();
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([main.drain(), bulk.drain()]);
    },
  };

  async function follow(): Promise<void> {
    for await (const status of main.status()) {
      if (status.type === "disconnect") {
        connected = false;
        log.warn("the connection to NATS was lost; reconnecting");
      } else if (status.type === "reconnect") {
        connected = true;
        reconnects++;
        log.info("connected to NATS again", { server: main.getServer() });
        for (const listener of listeners) listener();
      } else if (status.type === "ldm") {
        log.info("the NATS server is about to stop; moving to another one");
        await main.reconnect().catch(() => {});
      }
    }
    connected = false;
  }
}

const unsealedDanger = "who can publish there can call the apps and replace their sessions.";
const keyAdvice = "Set OPENCLAW_PROXY_NATS_KEY to the same secret for all instances (`openssl rand -hex 32`).";
const acceptAdvice = "Unset OPENCLAW_PROXY_NATS_UNSEALED once all instances have the key.";

/** Below the prefix, so that the rights to the deployment's own subjects are enough. */
function inboxOf(prefix: string): string {
  return `${prefix}.inbox`;
}

async function dial(options: NatsOptions, name: string): Promise<NatsConnection> {
  const credentials = options.credentialsFile && (await readOwn(options.credentialsFile, "credentials"));
  const ca = options.caFile && (await readOwn(options.caFile, "certificate"));
  const addresses = options.servers.map(parseAddress);
  const login = addresses.find(({ user }) => user !== undefined);
  try {
    return await connect({
      servers: addresses.map(({ server }) => server),
      name: `clawport ${name}`,
      inboxPrefix: inboxOf(options.prefix),
      maxReconnectAttempts: -1,
      reconnectTimeWait: 100,
      reconnectJitter: 100,
      pingInterval: 10_000,
      maxPingOut: 2,
      timeout: 5000,
      ...(login?.pass === undefined
        ? login?.user !== undefined && { token: login.user }
        : { user: login.user!, pass: login.pass }),
      ...(credentials && { authenticator: credsAuthenticator(credentials) }),
      ...((ca || addresses.some(({ tls }) => tls)) && { tls: ca ? { ca: ca.toString() } : {} }),
    });
  } catch (error) {
    const where = addresses.map(({ server }) => server).join(", ");
    throw new Fault(
      "unavailable",
      `NATS at ${where} can't be reached: ${messageOf(error)}. Is \`nats-server -js\` running there?`,
      {
        cause: error,
      },
    );
  }
}

/** The library does not read logins from addresses. */
function parseAddress(text: string): { server: string; tls: boolean; user?: string; pass?: string } {
  const url = URL.parse(text.includes("://") ? text : `nats://${text}`);
  const isWhole = url !== null && ["nats:", "tls:"].includes(url.protocol) && url.hostname !== "";
  if (!isWhole || !isEncoded(url.username + url.password))
    throw new Fault("config", "A NATS address must look like nats://host:4222 or tls://host:4222.");
  return {
    server: `${url.hostname}:${url.port || "4222"}`,
    tls: url.protocol === "tls:",
    ...(url.username !== "" && { user: decodeURIComponent(url.username) }),
    ...(url.password !== "" && { pass: decodeURIComponent(url.password) }),
  };
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

async function readOwn(file: string, what: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new Fault("config", `The ${what} file for NATS can't be read: ${messageOf(error)}`, { cause: error });
  }
}

async function checkServer(connection: NatsConnection): Promise<void> {
  const version = connection.info?.version ?? "";
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < oldestServer[0] || (major === oldestServer[0] && minor < oldestServer[1]))
    throw new Fault("unavailable", `nats-server ${version} is too old: 2.9 or newer is needed.`);
  try {
    await untilElected(async () => (await jetstreamManager(connection, { timeout: 2000 })).getAccountInfo());
  } catch (error) {
    throw new Fault(
      "unavailable",
      `The NATS server has no JetStream for this user (${messageOf(error)}). Start it with \`nats-server -js\`, or enable JetStream for the account.`,
      { cause: error },
    );
  }
}

const electionMs = 20_000;

/** Servers of a cluster that have just started, or lost one of theirs, answer nothing until they have a leader. */
export async function untilElected<T>(ask: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + electionMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error) || Date.now() > deadline) throw error;
      await sleep(250);
    }
  }
}

/** No peers for the copies (10005), no leader (10008), no room on the servers that are up (10023). */
const electionCodes: ReadonlySet<number> = new Set([10_005, 10_008, 10_023]);

function isPassing(error: unknown): boolean {
  return error instanceof TimeoutError || (error instanceof JetStreamApiError && electionCodes.has(error.code));
}
