import { Fault } from "../../core/fault.ts";
import type { RequestHeaders } from "../../core/http/request-headers.ts";
import { asRecord, isRecord } from "../../core/is-record.ts";
import { type ClientFacts, parseClientFacts } from "./client-facts.ts";
import { logLevels, type McpLogLevel } from "./interim-messages.ts";
import type { JsonRpcRequest, Params } from "./json-rpc.ts";
import { type Era, isLegacyVersion, isModernVersion, supportedVersions } from "./protocol-version.ts";

/** The keys the specification reserves in `_meta`. */
export const metaKeys = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
  relatedTask: "io.modelcontextprotocol/related-task",
} as const;

/** What a request says about itself: in `_meta` in the modern era, once at `initialize` before it. */
export interface RequestEnvelope {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly client: ClientFacts;
  readonly meta: Params;
  /** Undefined if the client did not request log lines. */
  readonly logLevel: McpLogLevel | undefined;
}

/**
 * Whether a request belongs to the modern era. Modern requests name their version in `_meta`. A header that names no
 * legacy revision, or a method that only the modern era has, also marks a modern request, even an incomplete one.
 */
export function isModernRequest(request: JsonRpcRequest, headers: RequestHeaders | undefined): boolean {
  const meta = request.params?._meta;
  if (isRecord(meta) && metaKeys.protocolVersion in meta) return true;
  const header = headers?.["mcp-protocol-version"];
  if (header !== undefined) return typeof header !== "string" || !isLegacyVersion(header);
  return request.method === "server/discover" || request.method === "subscriptions/listen";
}

/** Reads the envelope of a modern request. Throws the fault its revision prescribes if the envelope is invalid. */
export function readEnvelope(request: JsonRpcRequest, headers: RequestHeaders | undefined): RequestEnvelope {
  const meta = asRecord(request.params?._meta);
  const version = meta[metaKeys.protocolVersion];
  const header = headers?.["mcp-protocol-version"];
  if (typeof version !== "string") {
    // If only the header names a revision, and an unknown one, the error lists the supported revisions.
    if (typeof header === "string" && !isModernVersion(header)) throw unsupported(header);
    throw new Fault("bad-params", `Every request needs _meta["${metaKeys.protocolVersion}"].`);
  }
  if (headers && header !== version) {
    throw new Fault(
      "header-mismatch",
      `Header mismatch: MCP-Protocol-Version must repeat _meta["${metaKeys.protocolVersion}"].`,
    );
  }
  if (!isModernVersion(version)) throw unsupported(version);
  const capabilities = meta[metaKeys.clientCapabilities];
  if (typeof capabilities !== "object" || capabilities === null) {
    throw new Fault("bad-params", `Every request needs _meta["${metaKeys.clientCapabilities}"].`);
  }
  const level = meta[metaKeys.logLevel];
  return {
    era: "modern",
    protocolVersion: version,
    client: parseClientFacts(meta[metaKeys.clientInfo], capabilities),
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

/** The `_meta` of a modern request. Without a log level the server sends no log lines for the request. */
export function writeEnvelope(version: string, { info, capabilities }: ClientIdentity, logLevel?: McpLogLevel): Params {
  if (!isModernVersion(version)) throw new Fault("internal", `${version} has no envelope.`);
  return {
    [metaKeys.protocolVersion]: version,
    [metaKeys.clientInfo]: info,
    [metaKeys.clientCapabilities]: capabilities,
    ...(logLevel === undefined ? {} : { [metaKeys.logLevel]: logLevel }),
  };
}

/**
 * In `_meta` of a modern request: the era of the client that it is forwarded for. A relay of ours sets it, so that an older
 * client gets the numbers and ids of its own revision. A client that sets it itself only changes what it is sent.
 */
export const callerEraKey = "clawport/era";

/** In `_meta` of a call to a server: who asked for it, as a signed statement of ours. */
export const identityKey = "clawport/identity";

/**
 * `_meta` keys of a request that are about the connection it came over. A statement of identity from a client is not passed
 * on either: a server must not take it for ours.
 */
const requestMetaKeys: ReadonlySet<string> = new Set([
  "progressToken",
  callerEraKey,
  identityKey,
  ...Object.values(metaKeys),
]);

/** The `_meta` of a request that is for the server behind this one. Undefined if there is none. */
export function forwardedMeta(meta: Params): Params | undefined {
  let forwarded: Record<string, unknown> | undefined;
  for (const key in meta) if (!requestMetaKeys.has(key)) (forwarded ??= {})[key] = meta[key];
  return forwarded;
}

/** Fields of a modern result that concern only the direct caller (2026-07-28: `Result`, `CacheableResult`). */
const resultFields = ["resultType", "ttlMs", "cacheScope"] as const;

/** `_meta` keys that describe the connection a result came over, so they are wrong on any other connection. */
const connectionMetaKeys = [
  metaKeys.serverInfo,
  metaKeys.protocolVersion,
  metaKeys.subscriptionId,
  metaKeys.relatedTask,
] as const;

/** A result without what the protocol added for one connection. The server's own `_meta` entries stay. */
export function stripEnvelope(result: Params): Params {
  const { _meta: meta } = result;
  const hasConnectionMeta = isRecord(meta) && connectionMetaKeys.some((key) => key in meta);
  if (!hasConnectionMeta && !resultFields.some((key) => key in result)) return result;
  const stripped: Record<string, unknown> = { ...result };
  for (const key of resultFields) delete stripped[key];
  if (!hasConnectionMeta) return stripped;
  const kept = { ...meta };
  for (const key of connectionMetaKeys) delete kept[key];
  if (Object.keys(kept).length > 0) stripped._meta = kept;
  else delete stripped._meta;
  return stripped;
}
