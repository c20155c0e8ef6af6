import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { withDeadline } from "../../core/wait.ts";
import { metaKeys, writeEnvelope } from "../messages/envelope.ts";
import { type Params, RpcFault } from "../messages/json-rpc.ts";
import {
  type Era,
  isLegacyVersion,
  isModernVersion,
  legacyVersions,
  modernVersions,
} from "../messages/protocol-version.ts";
import { type ClientTransport, httpRefusalIn } from "./client-transport.ts";
import type { Agreement, McpClient, McpClientOptions } from "./mcp-client.ts";
import type { CallOptions } from "./call-options.ts";

export interface HandshakeOptions extends Pick<McpClientOptions, "info" | "capabilities"> {
  /** The era of an earlier connection, to save a round trip. */
  readonly era?: Era | undefined;
  /** The only era to use. A server that does not support it is refused. */
  readonly only?: Era | undefined;
  readonly timeoutMs: number;
  /** The setting that the limit comes from, for the message of a timeout. */
  readonly setting?: string | undefined;
  /** A stdio server that does not answer an unknown method is an older one. An HTTP server is just unreachable. */
  readonly silenceMeansLegacy: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Negotiates the protocol version: tries `server/discover` first and falls back to `initialize`. */
export async function negotiate(
  client: McpClient,
  transport: ClientTransport,
  options: HandshakeOptions,
): Promise<Agreement> {
  const modern = (options.only ?? options.era) === "legacy" ? undefined : await discover(client, options);
  if (!modern && options.only === "modern") throw notModern();
  const agreement = modern ?? (await initialize(client, transport, options));
  client.agreement = agreement;
  return agreement;
}

async function discover(
  client: McpClient,
  options: HandshakeOptions,
  version: string = modernVersions[0],
  isCorrected = false,
): Promise<Agreement | undefined> {
  const timeoutMs = options.silenceMeansLegacy ? Math.min(options.timeoutMs, 3000) : options.timeoutMs;
  try {
    const meta = writeEnvelope(version, options);
    const result = await client.request("server/discover", { _meta: meta }, { timeoutMs, ...limitOf(options) });
    const common = Array.isArray(result.supportedVersions)
      ? result.supportedVersions.find((each) => isModernVersion(String(each)))
      : undefined;
    return common === undefined ? undefined : agreed("modern", String(common), result);
  } catch (error) {
    if (error instanceof RpcFault) return correct(client, options, isCorrected, error);
    if (error instanceof Fault && isOlderServer(error, options)) return undefined;
    throw error;
  }
}

/** -32022 with a list of versions is the answer of a modern server. Any other error means an older server. */
async function correct(
  client: McpClient,
  options: HandshakeOptions,
  isCorrected: boolean,
  error: RpcFault,
): Promise<Agreement | undefined> {
  if (error.error.code !== -32022) return undefined;
  const { supported } = (error.error.data ?? {}) as { supported?: unknown };
  if (!Array.isArray(supported)) return undefined;
  const versions = supported.map(String);
  const spoken = versions.find(isModernVersion);
  if (spoken !== undefined && !isCorrected) return discover(client, options, spoken, true);
  if (versions.some(isLegacyVersion)) return undefined;
  throw unsupported(versions.join(", "));
}

function unsupported(versions: string): Fault {
  return new Fault(
    "unsupported-version",
    `The server requires protocol version ${quoted(versions, 100)}, which this version of Clawport does not support. Update Clawport.`,
  );
}

function notModern(): Fault {
  return new Fault(
    "unsupported-version",
    `The server does not support MCP ${modernVersions[0]}, and its setting era: "modern" excludes older versions. Set era: "auto" to allow them.`,
  );
}

function isOlderServer(fault: Fault, options: HandshakeOptions): boolean {
  if (fault.code === "timeout") return options.silenceMeansLegacy;
  // Some servers disconnect at an unknown method. An HTTP server can be tried again; a process has exited.
  if (fault.code === "outcome-unknown") return !options.silenceMeansLegacy;
  const status = httpRefusalIn(fault)?.status;
  // Some servers have an internal error if a request comes before `initialize`.
  if (status === 500 || status === 501) return true;
  return status !== undefined && status >= 400 && status < 500 && status !== 401 && status !== 403 && status !== 429;
}

async function initialize(
  client: McpClient,
  transport: ClientTransport,
  options: HandshakeOptions,
): Promise<Agreement> {
  const result = await client.request(
    "initialize",
    { protocolVersion: legacyVersions[0], capabilities: options.capabilities, clientInfo: options.info },
    { timeoutMs: options.timeoutMs, ...limitOf(options) },
  );
  const version = String(result.protocolVersion);
  if (!isLegacyVersion(version)) throw unsupported(version);
  transport.settle(version);
  await withDeadline(options.timeoutMs, options.signal, () => client.notify("notifications/initialized"));
  return agreed("legacy", version, result);
}

function limitOf({ setting, signal }: HandshakeOptions): Pick<CallOptions, "settings" | "signal"> {
  return { signal, ...(setting === undefined ? {} : { settings: { timeoutMs: setting } }) };
}

function agreed(era: Agreement["era"], version: string, result: Params): Agreement {
  const meta = result._meta as Params | undefined;
  const serverInfo = (result.serverInfo ?? meta?.[metaKeys.serverInfo]) as Agreement["serverInfo"];
  return {
    era,
    version,
    capabilities: (result.capabilities ?? {}) as Agreement["capabilities"],
    serverInfo,
    instructions: typeof result.instructions === "string" ? result.instructions : undefined,
  };
}
