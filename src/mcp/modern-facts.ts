import { Fault } from "../core/fault.ts";
import { parseClientFacts } from "./client-facts.ts";
import type { JsonRpcRequest, Params } from "./json-rpc.ts";
import type { Headers } from "./mirrored-headers.ts";
import { logLevels, type McpLogLevel } from "./progress.ts";
import { isLegacyVersion, isModernVersion, supportedVersions } from "./protocol-version.ts";
import type { RequestFacts } from "./served-request.ts";

const versionKey = "io.modelcontextprotocol/protocolVersion";
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
const infoKey = "io.modelcontextprotocol/clientInfo";
const logLevelKey = "io.modelcontextprotocol/logLevel";

/**
 * Which era a request belongs to, by how it opens: modern ones say their version in `_meta`. A header of no legacy
 * revision, or a method only the modern era has, shows one too, even when the rest is missing.
 */
export function isModernRequest(request: JsonRpcRequest, headers: Headers | undefined): boolean {
  const meta = request.params?._meta;
  if (typeof meta === "object" && meta !== null && versionKey in meta) return true;
  const header = headers?.["mcp-protocol-version"];
  if (header !== undefined) return typeof header !== "string" || !isLegacyVersion(header);
  return request.method === "server/discover" || request.method === "subscriptions/listen";
}

/** The facts a modern request carries about itself, or the fault its revision wants for what is wrong with them. */
export function readModernFacts(request: JsonRpcRequest, headers: Headers | undefined): RequestFacts {
  const found = request.params?._meta;
  const meta: Params = typeof found === "object" && found !== null ? (found as Params) : {};
  const version = meta[versionKey];
  const header = headers?.["mcp-protocol-version"];
  if (typeof version !== "string") {
    // A header alone that names no known revision: the client learns which ones there are.
    if (typeof header === "string" && !isModernVersion(header)) throw unsupported(header);
    throw new Fault("bad-params", `Every request needs _meta["${versionKey}"].`);
  }
  if (headers && header !== version) {
    throw new Fault("header-mismatch", `Header mismatch: MCP-Protocol-Version has to repeat _meta["${versionKey}"].`);
  }
  if (!isModernVersion(version)) throw unsupported(version);
  const capabilities = meta[capabilitiesKey];
  if (typeof capabilities !== "object" || capabilities === null) {
    throw new Fault("bad-params", `Every request needs _meta["${capabilitiesKey}"].`);
  }
  const level = meta[logLevelKey];
  return {
    era: "modern",
    protocolVersion: version,
    client: parseClientFacts(meta[infoKey], capabilities),
    meta,
    logLevel: logLevels.includes(level as McpLogLevel) ? (level as McpLogLevel) : undefined,
  };
}

function unsupported(requested: string): Fault {
  return new Fault("unsupported-version", "Unsupported protocol version.", {
    detail: { supported: supportedVersions, requested: requested.slice(0, 100) },
  });
}
