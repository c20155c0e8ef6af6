import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import type { RequestEnvelope } from "../server/served-request.ts";
import { parseClientFacts } from "./client-facts.ts";
import { logLevels, type McpLogLevel } from "./interim-messages.ts";
import type { JsonRpcRequest, Params } from "./json-rpc.ts";
import { isLegacyVersion, isModernVersion, supportedVersions } from "./protocol-version.ts";
import type { RequestHeaders } from "../../core/http/request-headers.ts";

const versionKey = "io.modelcontextprotocol/protocolVersion";
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
const infoKey = "io.modelcontextprotocol/clientInfo";
const logLevelKey = "io.modelcontextprotocol/logLevel";

/**
 * Which era a request belongs to, by how it opens: modern ones say their version in `_meta`. A header of no legacy
 * revision, or a method only the modern era has, shows one too, even when the rest is missing.
 */
export function isModernRequest(request: JsonRpcRequest, headers: RequestHeaders | undefined): boolean {
  const meta = request.params?._meta;
  if (typeof meta === "object" && meta !== null && versionKey in meta) return true;
  const header = headers?.["mcp-protocol-version"];
  if (header !== undefined) return typeof header !== "string" || !isLegacyVersion(header);
  return request.method === "server/discover" || request.method === "subscriptions/listen";
}

/** The facts a modern request carries about itself, or the fault its revision wants for what is wrong with them. */
export function readEnvelope(request: JsonRpcRequest, headers: RequestHeaders | undefined): RequestEnvelope {
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

/** Who sends a request, and what it can do for the server. */
export interface ClientIdentity {
  readonly info: { readonly name: string; readonly version: string };
  readonly capabilities: Params;
}

/** What every modern request says about itself. Without a level the server logs nothing for it. */
export function writeEnvelope(version: string, { info, capabilities }: ClientIdentity, logLevel?: McpLogLevel): Params {
  if (!isModernVersion(version)) throw new Fault("internal", `${version} has no envelope.`);
  return {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": info,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...(logLevel === undefined ? {} : { "io.modelcontextprotocol/logLevel": logLevel }),
  };
}

/** What a modern result says to whoever asked for it, and to nobody behind them (2026-07-28: `Result`, `CacheableResult`). */
const resultFields = ["resultType", "ttlMs", "cacheScope"] as const;

/** Who speaks here, and how: true of the connection the result came over, false of the one it is passed on to. */
const connectionMetaKeys = [
  "io.modelcontextprotocol/serverInfo",
  "io.modelcontextprotocol/protocolVersion",
  "io.modelcontextprotocol/subscriptionId",
  "io.modelcontextprotocol/related-task",
] as const;

/** A result without what the protocol added for one connection: what the server itself said, other `_meta` included. */
export function stripEnvelope(result: Params): Params {
  const { _meta: meta } = result;
  const hasMarks = isRecord(meta) && connectionMetaKeys.some((key) => key in meta);
  if (!hasMarks && !resultFields.some((key) => key in result)) return result;
  const plain: Record<string, unknown> = { ...result };
  for (const key of resultFields) delete plain[key];
  if (!hasMarks) return plain;
  const kept = { ...meta };
  for (const key of connectionMetaKeys) delete kept[key];
  if (Object.keys(kept).length > 0) plain._meta = kept;
  else delete plain._meta;
  return plain;
}
