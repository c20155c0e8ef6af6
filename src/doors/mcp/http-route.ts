/** What a path of the HTTP door stands for. */
export type HttpRoute =
  | { readonly kind: "root" | "whole" | "metrics" | "unknown" }
  | { readonly kind: "source"; readonly source: string }
  /** The servers, or these of them, for a process that offers them over stdio. */
  | { readonly kind: "relay"; readonly only: readonly string[] | undefined }
  /** All there is, for a command of the owner's at a terminal. */
  | { readonly kind: "terminal" }
  | { readonly kind: "control"; readonly verb: string };

export function parseHttpRoute(url: string): HttpRoute {
  const end = url.indexOf("?");
  const path = end < 0 ? url : url.slice(0, end);
  switch (path) {
    case "/":
      return root;
    case "/mcp":
    case "/mcp/":
      return end < 0 ? whole : parseQuery(url.slice(end));
    case "/metrics":
      return { kind: "metrics" };
    default:
      return parseNamed(path);
  }
}

const root: HttpRoute = { kind: "root" };
const whole: HttpRoute = { kind: "whole" };

/** Any other query means nothing. */
function parseQuery(query: string): HttpRoute {
  const fields = new URLSearchParams(query);
  switch (fields.get("relay")) {
    case "stdio":
      return { kind: "relay", only: fields.get("only")?.split(",") };
    case "cli":
      return { kind: "terminal" };
    default:
      return whole;
  }
}

function parseNamed(path: string): HttpRoute {
  const verb = /^\/control\/([a-z]{1,32})$/.exec(path)?.[1];
  if (verb !== undefined) return { kind: "control", verb };
  const encoded = /^\/mcp\/([^/]+)\/?$/.exec(path)?.[1];
  if (encoded === undefined) return { kind: "unknown" };
  try {
    return { kind: "source", source: decodeURIComponent(encoded) };
  } catch {
    return { kind: "unknown" };
  }
}
