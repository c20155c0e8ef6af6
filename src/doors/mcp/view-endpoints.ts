import { type DoorKind, isInView } from "../../catalog/caller.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { Source } from "../../catalog/source.ts";
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
import { createAgentOffer } from "./agent-offer.ts";
import { offerResults, type ResultOfferOptions } from "./results/result-offer.ts";
import type { SurfaceSetting } from "./surface/choose-surface.ts";
import type { Surfaces } from "./surface/surfaces.ts";
import { type CallerRights, type CallGuard, createViewOffer } from "./view-offer.ts";

/** A source whose calls carry media: its endpoint accepts larger bodies and puts long texts into files. */
export interface LargeBodies {
  readonly source: string;
  readonly maxBodyBytes: number;
  readonly spill: SpillOptions;
}

/** `short` names fit every client: `[A-Za-z0-9_-]{1,48}`. `full` ones are those of the catalog. */
export type ToolNames = "short" | "full";

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
  readonly toolNames?: ToolNames | undefined;
  /** How clients get the tools of several sources; all in one list unless given. */
  readonly surfaces?: Surfaces | undefined;
  /** Keeps large results at the addresses of several sources, and for relays. */
  readonly results?: Pick<ResultOfferOptions, "results" | "tokenKey"> | undefined;
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
    whole(rights, withoutAgent = false, surface) {
      if (surface !== undefined && options.surfaces !== undefined) return surfaceOf(rights, withoutAgent, surface);
      return rights.view === undefined && !withoutAgent ? endpointOf("", rights) : partOf(rights, withoutAgent);
    },
    ofSource: (id, rights) =>
      catalog.sources().some((source) => source.id === id) ? endpointOf(id, rights) : undefined,
    ofAgent(name) {
      const filter = agent?.viewAt(name);
      if (agent === undefined || filter === undefined) return undefined;
      return made.get(`agent ${name}`)?.endpoint ?? makeForAgent(name, filter, agent);
    },
    relay: (only) => relayTo(only && [...new Set(only)].toSorted()),
    // The id of a source never contains a space, so this key can't be one.
    terminal: () => made.get("relay cli")?.endpoint ?? make("relay cli", "all", { door: "cli" }),
    orders: (from) =>
      made.get(`relay order ${from}`)?.endpoint ??
      make(
        `relay order ${from}`,
        { source: "agent" },
        { door: from === "cli" ? "cli" : "mcp-stdio", hasLargeBodies: largeBodies?.source === "agent" },
      ),
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

  function endpointOf(source: string, rights: CallerRights): HttpEndpoint {
    const key = `${rightsKey(rights)}${source}`;
    const known = made.get(key);
    if (known !== undefined) return known.endpoint;
    const hasLargeBodies = source === largeBodies?.source;
    return make(key, source === "" ? "all" : { source }, { door: "mcp-http", rights, hasLargeBodies });
  }

  function partOf(rights: CallerRights, withoutAgent: boolean): HttpEndpoint {
    const key = `${rightsKey(rights)}${withoutAgent ? "without agent" : "several sources"}`;
    const filter = { sources: partFilter(rights, withoutAgent) };
    return made.get(key)?.endpoint ?? make(key, filter, { door: "mcp-http", rights });
  }

  /** For a token or an address that chooses the surface. */
  function surfaceOf(rights: CallerRights, withoutAgent: boolean, surface: SurfaceSetting): HttpEndpoint {
    const key = `${rightsKey(rights)}surface ${surface}${withoutAgent ? " without agent" : ""}`;
    const isAll = rights.view === undefined && !withoutAgent;
    const filter: ViewFilter = isAll ? "all" : { sources: partFilter(rights, withoutAgent) };
    return made.get(key)?.endpoint ?? make(key, filter, { door: "mcp-http", rights, surface });
  }

  function relayTo(only: readonly string[] | undefined): HttpEndpoint {
    const key = `relay stdio ${only?.join(" ") ?? "*"}`;
    const sources = ({ id, kind }: Source): boolean => kind === "server" && (only?.includes(id) ?? true);
    return made.get(key)?.endpoint ?? make(key, { sources }, { door: "mcp-stdio" });
  }

  /** The agent's program keeps its sessions when this door opens again. */
  function makeForAgent(name: string, filter: ViewFilter, access: AgentAccess): HttpEndpoint {
    const view = catalog.view(filter);
    const server = createMcpServer(createAgentOffer({ view, guard, access, info, log, telemetry }), { log });
    const endpoint = createHttpEndpoint(server, { log, admission, intake, maxBodyBytes, adoptsSessions: true });
    made.set(`agent ${name}`, { server, endpoint });
    return endpoint;
  }

  function make(key: string, filter: ViewFilter, rules: EndpointRules): HttpEndpoint {
    const { door, hasLargeBodies, surface } = rules;
    // The callers of a relay have no tokens, only a name that a token may have, too.
    const rights = door === "mcp-http" ? { ...rules.rights, tokenKey: options.tokenKey } : rules.rights;
    // A source at its own address keeps its own names; commands and relays choose for themselves.
    const isMixed = door === "mcp-http" && (filter === "all" || !("source" in filter));
    const view = catalog.view(filter, { alphabet: isMixed && toolNames === "short" ? "narrow" : "wide" });
    const offer = createViewOffer({ view, guard, door, rights, info, log, telemetry });
    const shown = isMixed ? (options.surfaces?.wrap(offer, view, surface) ?? offer) : offer;
    // A source at its own address answers in full, and so do commands at a terminal.
    const results = (filter !== "all" && "source" in filter) || door === "cli" ? undefined : options.results;
    const tokenKey = door === "mcp-http" ? results?.tokenKey : undefined;
    const whole =
      results === undefined ? shown : offerResults(shown, { ...results, tokenKey, view, guard, door, rights, log });
    const server = createMcpServer(whole, { log });
    const bodies = hasLargeBodies ? largeBodies : { maxBodyBytes };
    const keptSessions = options.keptSessions?.(key);
    const endpoint = createHttpEndpoint(server, { log, admission, intake, keptSessions, ...bodies });
    made.set(key, { server, endpoint });
    return endpoint;
  }
}

interface EndpointRules {
  readonly door: DoorKind;
  readonly rights?: CallerRights;
  readonly hasLargeBodies?: boolean;
  readonly surface?: SurfaceSetting;
}

function partFilter(rights: CallerRights, withoutAgent: boolean): (source: Source) => boolean {
  return ({ id }) => isInView(id, rights) && !(withoutAgent && id === "agent");
}

/** A caller that is limited to a view can't be the owner. */
function rightsKey({ view, isLocal }: CallerRights): string {
  if (view !== undefined) return `limited to ${typeof view === "string" ? view : view.join(" ")}: `;
  return isLocal === true ? "local " : "";
}
