import { type DoorKind, isInView } from "../../catalog/caller.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { ListedSource } from "../../catalog/source.ts";
import type { ViewFilter } from "../../catalog/view.ts";
import type { BodyIntake } from "../../core/http/body-intake.ts";
import type { RequestSlots } from "../../core/http/request-slots.ts";
import type { SpillOptions } from "../../core/json-bytes.ts";
import type { Log } from "../../core/log.ts";
import type { Telemetry } from "../../core/telemetry/telemetry.ts";
import { createHttpEndpoint, type HttpEndpoint } from "../../mcp/http/http-endpoint.ts";
import type { KeptSessions } from "../../mcp/http/kept-sessions.ts";
import { createMcpServer, type McpServer } from "../../mcp/server/mcp-server.ts";
import type { ServerInfo } from "../../mcp/server/offer.ts";
import type { AgentAccess } from "./agent-access.ts";
import { createDoorOffer } from "./door-offer.ts";
import type { ResultOfferOptions } from "./results/result-offer.ts";
import type { ScriptSettings } from "./scripts/script-offer.ts";
import type { SurfaceSetting } from "./surface/choose-surface.ts";
import type { Surfaces } from "./surface/surfaces.ts";
import type { CallerRights, CallGuard } from "./view-offer.ts";

/** A source whose calls carry media: its endpoint accepts larger bodies and puts long texts into files. */
export interface LargeBodies {
  readonly source: string;
  readonly maxBodyBytes: number;
  readonly spill: SpillOptions;
}

/** `short` names fit every client: `[A-Za-z0-9_-]{1,48}`. `full` ones are those of the catalog. */
export type ToolNaming = "short" | "full";

export interface ViewEndpointsOptions {
  readonly catalog: Catalog;
  readonly guard: CallGuard;
  readonly info: ServerInfo;
  readonly log: Log;
  readonly telemetry?: Telemetry | undefined;
  readonly admission: RequestSlots;
  readonly intake: BodyIntake;
  readonly maxBodyBytes: number;
  readonly largeBodies?: LargeBodies | undefined;
  readonly agent?: AgentAccess | undefined;
  /** How the tools of several sources are called; `short` unless given. */
  readonly toolNames?: ToolNaming | undefined;
  /** How clients get the tools of several sources; all in one list unless given. */
  readonly surfaces?: Surfaces | undefined;
  /** Keeps large results at the addresses of several sources, and for relays. */
  readonly results?: Pick<ResultOfferOptions, "results" | "tokenKey"> | undefined;
  /** Runs scripts of the clients that get the tools of several sources. */
  readonly scripts?: ScriptSettings | undefined;
  /** Tells tokens of the same name apart; undefined if there is no such token. */
  tokenKey?(name: string): string | undefined;
  /** Where the sessions at a view are kept beyond this process, if anywhere. */
  keptSessions?(view: string): KeptSessions | undefined;
}

/**
 * One endpoint for each view of the catalog, made on first use. Callers with different rights have different endpoints, so
 * that a session or a task can't be continued with other rights than it was begun with.
 */
export interface ViewEndpoints {
  /** All sources that the caller's token gives access to, under their names in the catalog. */
  whole(rights: CallerRights, withoutAgent?: boolean, surface?: SurfaceSetting): HttpEndpoint;
  /** One source under bare names; undefined if there is no such source. */
  ofSource(id: string, rights: CallerRights): HttpEndpoint | undefined;
  /** What the agent of the host gets under this name; undefined if it has no address for the agent. */
  ofAgent(name: string): HttpEndpoint | undefined;
  /** The servers, all or only these, under their names in the catalog. Callers count as coming over stdio. */
  relay(only: readonly string[] | undefined): HttpEndpoint;
  /** The apps under bare names. Callers count as coming over stdio. */
  apps(): HttpEndpoint;
  /** The whole catalog. Callers count as commands at a terminal. */
  terminal(): HttpEndpoint;
  /** `order_openclaw` alone. Callers count as coming over stdio, or as commands at a terminal. */
  orders(from: "stdio" | "cli"): HttpEndpoint;
  sessionCount(): number;
  /** Ends the sessions of a token that is no longer valid, and what else it has running. */
  endAllOf(token: string): void;
  /** Stops the calls that still run. */
  stop(): void;
  /** Ends all sessions. */
  close(): void;
}

export function createViewEndpoints(options: ViewEndpointsOptions): ViewEndpoints {
  const { catalog, guard, info, log, telemetry, admission, intake, maxBodyBytes, largeBodies, agent } = options;
  const { toolNames = "short" } = options;
  const made = new Map<string, { server: McpServer; endpoint: HttpEndpoint }>();

  return {
    whole: (rights, withoutAgent = false, surface) =>
      endpointAt({ at: "all", rights, withoutAgent, surface: options.surfaces && surface }),
    ofSource: (id, rights) =>
      catalog.sources().some((source) => source.id === id) ? endpointAt({ at: "source", id, rights }) : undefined,
    ofAgent(name) {
      const filter = agent?.viewAt(name);
      return filter === undefined ? undefined : endpointAt({ at: "agent", name, filter });
    },
    relay: (only) => endpointAt({ at: "relay", only: only && [...new Set(only)].toSorted() }),
    apps: () => endpointAt({ at: "apps" }),
    terminal: () => endpointAt({ at: "terminal" }),
    orders: (from) => endpointAt({ at: "orders", from }),
    sessionCount: () => made.values().reduce((sum, { endpoint }) => sum + endpoint.sessionCount, 0),
    endAllOf(token) {
      for (const { endpoint } of made.values()) endpoint.endAllOf(token);
    },
    stop() {
      for (const { server } of made.values()) server.close();
    },
    close() {
      for (const { endpoint } of made.values()) endpoint.close();
    },
  };

  function endpointAt(address: Address): HttpEndpoint {
    const key = keyOf(address);
    return made.get(key)?.endpoint ?? make(key, address);
  }

  function make(key: string, address: Address): HttpEndpoint {
    const { door, filter } = servedAt(address);
    const rights = "rights" in address ? { ...address.rights, tokenKey: options.tokenKey } : undefined;
    // A source at its own address keeps its own names; commands and relays choose for themselves.
    const isMixed = address.at === "all";
    const view = catalog.view(filter, { alphabet: isMixed && toolNames === "short" ? "narrow" : "wide" });
    const parts = { view, guard, door, rights, info, log, telemetry };
    const offer = createDoorOffer({
      ...parts,
      // A source at its own address answers in full, and so do commands at a terminal.
      results:
        isMixed || address.at === "relay" ? options.results && resultsFor(address.at, options.results) : undefined,
      scripts: isMixed ? options.scripts : isOwners(address) ? chosenElsewhere(options.scripts) : undefined,
      surfaces: isMixed ? options.surfaces : undefined,
      search: options.surfaces,
      surface: isMixed ? address.surface : undefined,
      agent: address.at === "agent" ? agent : undefined,
    });
    const server = createMcpServer(offer, { log });
    const source = address.at === "source" ? address.id : address.at === "orders" ? "agent" : undefined;
    const bodies = source !== undefined && source === largeBodies?.source ? largeBodies : { maxBodyBytes };
    // The agent's program keeps its sessions when this door opens again.
    const sessions = address.at === "agent" ? { adoptsSessions: true } : { keptSessions: options.keptSessions?.(key) };
    const endpoint = createHttpEndpoint(server, { log, admission, intake, ...sessions, ...bodies });
    made.set(key, { server, endpoint });
    return endpoint;
  }
}

/** What an endpoint is for. */
type Address =
  | {
      readonly at: "all";
      readonly rights: CallerRights;
      readonly withoutAgent: boolean;
      readonly surface: SurfaceSetting | undefined;
    }
  | { readonly at: "source"; readonly id: string; readonly rights: CallerRights }
  | { readonly at: "agent"; readonly name: string; readonly filter: ViewFilter }
  | { readonly at: "relay"; readonly only: readonly string[] | undefined }
  | { readonly at: "apps" | "terminal" }
  | { readonly at: "orders"; readonly from: "stdio" | "cli" };

/** Sessions are kept under it, beyond this process. The id of a source has no space, so it can't be another's key. */
function keyOf(address: Address): string {
  switch (address.at) {
    case "all": {
      const { rights, withoutAgent, surface } = address;
      const rest = withoutAgent ? "without agent" : "";
      if (surface !== undefined) return `${rightsKey(rights)}surface ${surface}${rest && ` ${rest}`}`;
      return `${rightsKey(rights)}${rest || (rights.view === undefined ? "" : "several sources")}`;
    }
    case "source":
      return `${rightsKey(address.rights)}${address.id}`;
    case "agent":
      return `agent ${address.name}`;
    case "relay":
      return `relay stdio ${address.only?.join(" ") ?? "*"}`;
    case "apps":
      return "relay apps";
    case "terminal":
      return "relay cli";
    case "orders":
      return `relay order ${address.from}`;
  }
}

/** Which part of the catalog there is at an address, and what its callers count as. */
function servedAt(address: Address): { readonly door: DoorKind; readonly filter: ViewFilter } {
  switch (address.at) {
    case "all": {
      const { rights, withoutAgent } = address;
      if (rights.view === undefined && !withoutAgent) return { door: "mcp-http", filter: "all" };
      const sources = ({ id, isUnlisted = false }: ListedSource) =>
        isInView(id, rights) && !(withoutAgent && id === "agent") && !(isUnlisted && rights.view === undefined);
      return { door: "mcp-http", filter: { sources } };
    }
    case "source":
      return { door: "mcp-http", filter: { source: address.id } };
    case "agent":
      return { door: "plugin", filter: address.filter };
    case "relay": {
      const { only } = address;
      const sources = ({ id, kind }: ListedSource) => kind === "server" && (only?.includes(id) ?? true);
      return { door: "mcp-stdio", filter: { sources } };
    }
    case "apps":
      return { door: "mcp-stdio", filter: { sources: ({ kind }) => kind === "app", bare: true } };
    case "terminal":
      return { door: "cli", filter: "all" };
    case "orders":
      return { door: address.from === "cli" ? "cli" : "mcp-stdio", filter: { source: "agent" } };
  }
}

/** The callers of a relay have no tokens, only a name that a token may have, too. */
function resultsFor(at: "all" | "relay", { results, tokenKey }: NonNullable<ViewEndpointsOptions["results"]>) {
  return { results, tokenKey: at === "all" ? tokenKey : undefined };
}

const isOwners = ({ at }: Address): boolean => at === "relay" || at === "terminal";

/** A relay knows which of its clients search, and a command runs what it was given. */
function chosenElsewhere(scripts: ScriptSettings | undefined): ScriptSettings | undefined {
  return scripts && { ...scripts, setting: () => (scripts.setting() === "off" ? "off" : "on") };
}

/** A caller that is limited to a view can't be the owner. */
function rightsKey({ view, isLocal }: CallerRights): string {
  if (view !== undefined) return `limited to ${typeof view === "string" ? view : view.join(" ")}: `;
  return isLocal === true ? "local " : "";
}
