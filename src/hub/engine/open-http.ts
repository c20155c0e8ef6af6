import type { IncomingMessage, ServerResponse } from "node:http";
import { hostname, networkInterfaces } from "node:os";
import type { Config } from "../../core/config/config-schema.ts";
import { isFault } from "../../core/fault.ts";
import { isLoopbackHost } from "../../core/http/addresses.ts";
import type { AgentAccess } from "../../doors/mcp/agent-access.ts";
import type { ControlHandler } from "../../doors/mcp/control-route.ts";
import {
  type HttpDoor,
  type HttpDoorOptions,
  type LocalDoorOptions,
  openHttpDoor,
  type PublicDocument,
} from "../../doors/mcp/http-door.ts";
import { openHubKeys } from "../../doors/mcp/hub-keys.ts";
import type { RefusedTokenCounts } from "../../doors/mcp/refused-tokens.ts";
import type { ClientSurface, GivenSurface } from "../../doors/mcp/surface/surface-record.ts";
import { openTokens, type Tokens } from "../../doors/mcp/tokens.ts";
import { publicDocuments } from "../../sources/servers/oauth/registration/client-document.ts";
import { hasIdentityKey, jwksPath, openIdentitySigner } from "../../sources/servers/identity/identity-signer.ts";
import type { Engine } from "./engine.ts";
import type { EngineParts } from "./engine-parts.ts";
import { hostNames, reachableHost, requireRemoteConsent } from "./listen-address.ts";
import { listenForOwner } from "./hub-socket.ts";
import { openSurfaces } from "./open-surfaces.ts";
import { uploadLimits } from "./upload-limits.ts";

export interface HttpOptions {
  /** These take precedence over `hub.host`, `hub.port` and `hub.allowRemote`. */
  readonly host?: string | undefined;
  /** Faults with `conflict` if it is taken. */
  readonly port?: number | undefined;
  readonly allowRemote?: boolean | undefined;
  /** Lets commands and relays of the same user ask and steer this process, over a socket. Only for a hub: it holds the lock. */
  readonly control?: ControlPort | undefined;
  /** Serves the console to browsers on this machine, at `/console/`. */
  readonly console?: ConsolePort;
  /** Takes precedence over `hub.toolNames`. */
  readonly toolNames?: Config["hub"]["toolNames"];
  /** Takes precedence over `hub.surface`. */
  readonly surface?: Config["hub"]["surface"] | undefined;
  /** For the agent of the program that hosts the engine. */
  readonly agent?: AgentAccess | undefined;
}

/** Answers the control API of an engine: handed in, since it is built on top of this. */
export type ControlPort = (engine: Engine) => ControlHandler;

/** Opens the console of an engine, with its first request. */
export type ConsolePort = (engine: Engine, wiring: ConsoleWiring) => Promise<OpenedConsole>;

export interface ConsoleWiring {
  readonly tokens: Tokens;
  port(): number;
}

export interface OpenedConsole {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): void;
}

export interface OpenedHttp {
  /** Without a path: `http://127.0.0.1:8765`. */
  readonly address: string;
  /** Where the owner's commands and relays connect; undefined without `control`. */
  readonly socket: string | undefined;
  readonly port: number;
  /** The port that was asked for. If another program holds that of the configuration, the next free one is used. */
  readonly wantedPort: number;
  readonly tokenPath: string;
  /** The names under which other machines reach it; empty while it is closed to them. */
  readonly remoteNames: readonly string[];
  /** MCP sessions that are open. */
  sessionCount(): number;
  /** Requests with a token that is not valid, and without one. */
  refusedTokens(): RefusedTokenCounts;
  /** What clients were given, the latest first. */
  surfaces(): readonly ClientSurface[];
  /** Notes what a client of another process got, which relays to this one. */
  noteSurface(given: GivenSurface): void;
  close(): Promise<void>;
}

interface Wiring extends HttpOptions {
  /** Orders bring media along, so their bodies may be large. */
  readonly takesOrders: boolean;
  readonly engine: Engine;
}

/** Serves the catalog over HTTP, behind the gate and its tokens. */
export async function openHttp(parts: EngineParts, options: Wiring): Promise<OpenedHttp> {
  const { home, config, env, log, version, catalog, guard, metrics, telemetry, closers } = parts;
  const { host = config.hub.host, port: wantedPort = config.hub.port } = options;
  requireRemoteConsent({ host, allowRemote: options.allowRemote ?? config.hub.allowRemote });
  const tokens = await openTokens({ home, env, log });
  closers.add("tokens", () => tokens.close());
  const surfaces = openSurfaces(parts, options.surface);
  const names = hostNames(host, hostname(), networkInterfaces());
  const open = options.port === undefined ? openAtFreePort : openHttpDoor;
  const page = openConsoleLater(options, { tokens, port: () => door.port });
  const door: HttpDoor = await open({
    host,
    port: wantedPort,
    catalog,
    guard,
    tokens,
    sessionFolder: home.file("sessions"),
    results: parts.results,
    scripts: parts.scripts,
    toolNames: options.toolNames ?? config.hub.toolNames,
    surfaces,
    info: { name: "clawport", title: "Clawport", version },
    log,
    metrics,
    telemetry,
    maxConcurrent: config.hub.maxConcurrent,
    maxBodyBytes: config.hub.maxBodyBytes,
    largeBodies: options.takesOrders ? { source: "agent", ...uploadLimits(home.path) } : undefined,
    allowedHosts: names,
    local: options.control && (await openLocal(parts, options.control(options.engine))),
    console: page?.handle,
    agent: options.agent,
    publicDocuments: documentsOf(parts),
  });
  closers.add("door", () => door.close());
  closers.add("console", () => page?.close());
  return {
    address: `http://${reachableHost(host)}:${door.port}`,
    port: door.port,
    socket: door.socket,
    wantedPort,
    tokenPath: tokens.path,
    remoteNames: isLoopbackHost(host) ? [] : names,
    sessionCount: () => door.sessionCount(),
    refusedTokens: () => door.refusedTokens(),
    surfaces: () => surfaces.given(),
    noteSurface: (given) => surfaces.noteRelayed(given),
    close: () => door.close(),
  };
}

async function openLocal(parts: EngineParts, control: ControlHandler): Promise<LocalDoorOptions> {
  const { home, env, closers } = parts;
  const keys = await openHubKeys(parts);
  closers.add("keys", () => keys.close());
  return {
    listen: (server) => listenForOwner(server, home, env),
    keys,
    control,
  };
}

/** With its first request: most starts never see a browser. */
function openConsoleLater({ console: open, engine }: Wiring, wiring: ConsoleWiring) {
  if (open === undefined) return undefined;
  let opening: Promise<OpenedConsole> | undefined;
  return {
    handle(request: IncomingMessage, response: ServerResponse): void {
      opening ??= open(engine, wiring);
      opening
        .then((opened) => opened.handle(request, response))
        .catch((error: unknown) => {
          engine.log.error("the console could not be opened", { error });
          response.destroy();
        });
    },
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}

function documentsOf({ config, home }: EngineParts): Readonly<Record<string, PublicDocument>> {
  const fixed = Object.entries(publicDocuments(config.hub.publicUrl)).map(([path, document]) => [path, () => document]);
  let jwks: object | undefined;
  // There from the first statement about who asked; the configuration may ask for them at any time.
  const readJwks = () => (jwks ??= hasIdentityKey(home) ? openIdentitySigner(home).jwks : undefined);
  return { ...Object.fromEntries(fixed), [jwksPath]: readJwks };
}

const portsToTry = 50;
const highestPort = 65_535;

/** Takes the next free port if another program holds the wanted one. */
async function openAtFreePort(options: HttpDoorOptions): Promise<HttpDoor> {
  const last = Math.min(options.port + portsToTry, highestPort);
  for (let port = options.port; ; port++) {
    try {
      return await openHttpDoor({ ...options, port });
    } catch (error) {
      if (!isFault(error, "conflict") || port === 0 || port >= last) throw error;
    }
  }
}
