/** Addresses of a hub: what its clients ask for, and what its HTTP door makes of that. */

/** The address MCP clients connect to, for a hub at `origin` (`http://127.0.0.1:8765`). */
export function hubMcpUrl(origin: string): string {
  return `${origin}${mcpPath}`;
}

/** The same address with all tools in one list, whatever the token says. */
export function hubFullListUrl(origin: string): URL {
  return new URL(`${mcpPath}?surface=full`, origin);
}

/** The same address without `order_openclaw`, for the agent that would take the orders. */
export function mcpUrlWithoutAgent(mcpUrl: string): string {
  return `${mcpUrl}?without=agent`;
}

/** The hub's servers, or only these of them, for a process that offers them over stdio. */
export function hubRelayUrl(origin: string, only: readonly string[] | undefined): URL {
  const url = new URL(`${mcpPath}?relay=stdio`, origin);
  if (only !== undefined) url.searchParams.set("only", only.join(","));
  return url;
}

/** The apps that are connected to the hub, for a process beside it that offers them. */
export function hubAppsUrl(origin: string): URL {
  return new URL(`${mcpPath}?relay=apps`, origin);
}

/** Everything the hub has, for a command that its owner types in a terminal. */
export function hubTerminalUrl(origin: string): URL {
  return new URL(`${mcpPath}?relay=cli`, origin);
}

/** `order_openclaw` alone, for a process that hands on orders of its client or of a terminal. */
export function hubOrderUrl(origin: string, from: "stdio" | "cli"): URL {
  return new URL(`${mcpPath}?relay=order-${from}`, origin);
}

export function hubControlUrl(origin: string, verb: string): URL {
  return new URL(`${controlPath}${verb}`, origin);
}

const mcpPath = "/mcp";
const controlPath = "/control/";

/** The page for browsers, and everything below it. */
export function isConsolePath(url: string | undefined): boolean {
  return url !== undefined && url.startsWith("/console") && /^(?:[/?#]|$)/.test(url.slice("/console".length));
}

export type HubRoute =
  | { readonly kind: "metrics" | "unknown" }
  /** `surface` as it was given. */
  | { readonly kind: "root"; readonly surface?: string }
  | { readonly kind: "whole"; readonly withoutAgent?: boolean; readonly surface?: string }
  | { readonly kind: "source"; readonly source: string }
  | { readonly kind: "relay"; readonly only: readonly string[] | undefined }
  | { readonly kind: "apps" }
  | { readonly kind: "terminal" }
  | { readonly kind: "order"; readonly from: "stdio" | "cli" }
  | { readonly kind: "control"; readonly verb: string };

/** What the path and query of a request stand for. */
export function parseHubRoute(url: string): HubRoute {
  const end = url.indexOf("?");
  const path = end < 0 ? url : url.slice(0, end);
  switch (path) {
    case "/":
      return end < 0 ? root : parseRoot(url.slice(end));
    case mcpPath:
    case `${mcpPath}/`:
      return end < 0 ? whole : parseQuery(url.slice(end));
    case "/metrics":
      return { kind: "metrics" };
    default:
      return parseNamed(path);
  }
}

const root: HubRoute = { kind: "root" };
const whole: HubRoute = { kind: "whole" };
const wholeWithoutAgent: HubRoute = { kind: "whole", withoutAgent: true };

function parseRoot(query: string): HubRoute {
  const surface = new URLSearchParams(query).get("surface");
  return surface === null ? root : { kind: "root", surface };
}

function parseWhole(withoutAgent: boolean, surface: string | null): HubRoute {
  if (surface !== null) return { kind: "whole", withoutAgent, surface };
  return withoutAgent ? wholeWithoutAgent : whole;
}

/** Any other query is ignored. */
function parseQuery(query: string): HubRoute {
  const fields = new URLSearchParams(query);
  switch (fields.get("relay")) {
    case "stdio":
      return { kind: "relay", only: fields.get("only")?.split(",") };
    case "apps":
      return { kind: "apps" };
    case "cli":
      return { kind: "terminal" };
    case "order-stdio":
      return { kind: "order", from: "stdio" };
    case "order-cli":
      return { kind: "order", from: "cli" };
    default:
      return parseWhole(fields.get("without") === "agent", fields.get("surface"));
  }
}

function parseNamed(path: string): HubRoute {
  const verb = path.startsWith(controlPath) ? path.slice(controlPath.length) : undefined;
  if (verb !== undefined)
    return /^[A-Za-z]{1,32}\.[A-Za-z]{1,32}$/.test(verb) ? { kind: "control", verb } : { kind: "unknown" };
  const encoded = /^\/mcp\/([^/]+)\/?$/.exec(path)?.[1];
  if (encoded === undefined) return { kind: "unknown" };
  try {
    return { kind: "source", source: decodeURIComponent(encoded) };
  } catch {
    return { kind: "unknown" };
  }
}
