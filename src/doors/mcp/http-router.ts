import type { IncomingMessage, ServerResponse } from "node:http";
import { isInView } from "../../catalog/caller.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { countText } from "../../core/text/count-text.ts";
import { Fault } from "../../core/fault.ts";
import { isLoopbackPeer } from "../../core/http/addresses.ts";
import type { BodyIntake } from "../../core/http/body-intake.ts";
import { type HubRoute, parseHubRoute } from "../../core/http/hub-routes.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { plainTextType, sendText } from "../../core/http/send-json.ts";
import { type Metrics, prometheusContentType } from "../../core/telemetry/metrics.ts";
import type { ServerInfo } from "../../mcp/server/offer.ts";
import { type ControlHandler, forKeysOnly, serveControl } from "./control-route.ts";
import { type HubKeyName, mainTokenName, type TokenMatch } from "./gate.ts";
import { isSurfaceSetting, type SurfaceSetting } from "./surface/choose-surface.ts";
import type { ViewEndpoints } from "./view-endpoints.ts";
import type { CallerRights } from "./view-offer.ts";

export interface HttpRouterOptions {
  readonly catalog: Catalog;
  readonly endpoints: ViewEndpoints;
  readonly intake: BodyIntake;
  readonly info: ServerInfo;
  readonly metrics: Metrics | undefined;
  readonly control: ControlHandler | undefined;
}

/** Hands a request that passed the gate to what serves its path, if its token may use it. Faults otherwise. */
export type RouteRequest = (request: IncomingMessage, response: ServerResponse, token: TokenMatch) => void;

export function createHttpRouter(options: HttpRouterOptions): RouteRequest {
  const { catalog, endpoints, intake, info, metrics, control } = options;

  return (request, response, token) => {
    const route = parseHubRoute(request.url ?? "/");
    if (route.kind === "control" && control)
      return void serveControl(request, response, { verb: route.verb, key: token.key, control, intake });
    requireKey(route, token.key);
    if (route.kind === "metrics" && request.method === "GET" && metrics) {
      requireMetricsRight(token);
      return sendText(response, 200, prometheusContentType, metrics.render());
    }
    if (token.agent) {
      const endpoint = route.kind === "source" ? endpoints.ofAgent(route.source) : undefined;
      if (!endpoint) throw new Fault("not-found", "There is no such server here. Only /mcp/<server> is served.");
      return endpoint.handle(request, response, token.name);
    }
    if (token.metrics) throw new Fault("denied", "This token gives access to /metrics only.");
    // The caller has the same name as without a hub, so that approvals apply in both cases.
    if (route.kind === "relay") return endpoints.relay(route.only).handle(request, response, "stdio", token.name);
    if (route.kind === "apps") return endpoints.apps().handle(request, response, "stdio", token.name);
    if (route.kind === "terminal") return endpoints.terminal().handle(request, response, token.name);
    if (route.kind === "order") return endpoints.orders(route.from).handle(request, response, route.from, token.name);
    if (route.kind !== "root" && route.kind !== "whole" && route.kind !== "source") {
      throw new Fault("not-found", "There is nothing at this path. MCP is at /mcp, a single source at /mcp/<source>.");
    }
    if (route.kind === "root" && isProbe(request)) {
      return sendText(response, 200, plainTextType, probeText(info, catalog, token));
    }
    // A token for one source shows it under bare names at every address.
    const only = typeof token.view === "string" ? token.view : undefined;
    const source = route.kind === "source" ? route.source : only;
    if (source !== undefined && !isInView(source, token)) {
      throw new Fault("denied", `This token is limited to the view ${JSON.stringify(token.view)}.`);
    }
    const rights = rightsOf(token, request);
    const withoutAgent = route.kind === "whole" && route.withoutAgent;
    const surface = route.kind === "source" ? undefined : (askedSurface(route.surface) ?? token.surface);
    const endpoint =
      source === undefined ? endpoints.whole(rights, withoutAgent, surface) : endpoints.ofSource(source, rights);
    if (!endpoint) throw new Fault("not-found", "There is no such source. Run `clawport servers` to list the servers.");
    endpoint.handle(request, response, token.name);
  };
}

/** What each key opens, beside `/control/`. A token opens what none of them is for. */
function requireKey(route: HubRoute, key: HubKeyName | undefined): void {
  const isTerminal = route.kind === "terminal" || (route.kind === "order" && route.from === "cli");
  const isForKeys = isTerminal || route.kind === "relay" || route.kind === "apps" || route.kind === "order";
  if (key === undefined) {
    if (isForKeys) throw forKeysOnly();
    return;
  }
  const isOpen = key === "control" ? isTerminal : !isTerminal && (isForKeys || route.kind === "source");
  if (!isOpen) throw new Fault("denied", `The ${key} key does not open this address.`);
}

/** A misspelt one would show another list than its writer wanted, without a word. */
function askedSurface(asked: string | undefined): SurfaceSetting | undefined {
  if (asked === undefined || isSurfaceSetting(asked)) return asked;
  throw new Fault(
    "bad-params",
    `There is no surface ${quoted(asked, 40)}. Use auto, full or search in \`?surface=\`, or leave it out.`,
  );
}

const noRights: CallerRights = {};
const localRights: CallerRights = { isLocal: true };

/** Where a request comes from counts only with the main token. */
function rightsOf(token: TokenMatch, { socket }: IncomingMessage): CallerRights {
  if (token.view !== undefined) return token;
  if (token.key !== undefined) return localRights;
  return token.name === mainTokenName && isLoopbackPeer(socket.remoteAddress) ? localRights : noRights;
}

/** The metrics show every source and what it is used for, so a client's token does not open them. */
function requireMetricsRight({ name, metrics }: TokenMatch): void {
  if (name === mainTokenName || metrics) return;
  throw new Fault(
    "denied",
    "This token can't read the metrics. Use the main token, or one made with `clawport token add <name> --metrics`.",
  );
}

function isProbe({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && !(headers.accept ?? "").includes("text/event-stream");
}

/** What `GET /` shows a person who checks whether the hub is running: only what the token gives access to. */
function probeText(info: ServerInfo, catalog: Catalog, token: TokenMatch): string {
  const sources = catalog
    .sources()
    .filter(({ id, isUnlisted }) => isInView(id, token) && (!isUnlisted || token.view !== undefined));
  const tools = catalog.tools().filter(({ source }) => isInView(source.id, token));
  return [
    `${info.title ?? info.name} ${info.version} is running.`,
    `${countText(tools.length, "tool")} from ${countText(sources.length, "source")}${sources.length > 0 ? ":" : "."}`,
    ...sources.map((source) => `  ${source.id}: ${countText(source.tools().length, "tool")}`),
    "",
    "MCP clients send POST requests to this address or to /mcp. A single source is at /mcp/<source>.",
    "",
  ].join("\n");
}
