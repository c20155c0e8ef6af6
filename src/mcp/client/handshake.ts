import { Fault } from "../../core/fault.ts";
import { withDeadline } from "../../core/wait.ts";
import { writeEnvelope } from "../messages/envelope.ts";
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

export interface HandshakeOptions extends Pick<McpClientOptions, "info" | "capabilities"> {
  /** What an earlier connection found out; saves asking again. */
  readonly era?: Era | undefined;
  /** What has to be spoken. A server that can't is refused instead of being asked in the other way. */
  readonly only?: Era | undefined;
  readonly timeoutMs: number;
  /** A stdio server that stays silent to a question it does not know is an older one; an HTTP server is just not there. */
  readonly silenceMeansLegacy: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Agrees with a server on how to speak: asks in the modern way first, and falls back to `initialize`. */
export async function shakeHands(
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
    const result = await client.request("server/discover", { _meta: meta }, { timeoutMs, signal: options.signal });
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

/** -32022 with a list: the server is modern and wants one of these revisions; anything else is no modern answer. */
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
  throw unspoken(versions.join(", "));
}

function unspoken(wanted: string): Fault {
  const quoted = JSON.stringify(wanted.slice(0, 100));
  return new Fault(
    "unsupported-version",
    `The server wants protocol version ${quoted}, which is not spoken here. Look for a newer Clawport.`,
  );
}

function notModern(): Fault {
  return new Fault(
    "unsupported-version",
    `The server does not speak MCP ${modernVersions[0]}, and nothing else is wanted of it (era: "modern"). With era: "auto" the older revisions are tried as well.`,
  );
}

function isOlderServer(fault: Fault, options: HandshakeOptions): boolean {
  if (fault.code === "timeout") return options.silenceMeansLegacy;
  // Some break off over what they don't know. A process that did so is gone; an address can be asked again.
  if (fault.code === "outcome-unknown") return !options.silenceMeansLegacy;
  const status = httpRefusalIn(fault)?.status;
  // Some fail inside over a request that comes before `initialize`.
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
    { timeoutMs: options.timeoutMs, signal: options.signal },
  );
  const version = String(result.protocolVersion);
  if (!isLegacyVersion(version)) throw unspoken(version);
  transport.settle(version);
  await withDeadline(options.timeoutMs, options.signal, () => client.notify("notifications/initialized"));
  return agreed("legacy", version, result);
}

function agreed(era: Agreement["era"], version: string, result: Params): Agreement {
  const meta = result._meta as Params | undefined;
  const serverInfo = (result.serverInfo ?? meta?.["io.modelcontextprotocol/serverInfo"]) as Agreement["serverInfo"];
  return {
    era,
    version,
    capabilities: (result.capabilities ?? {}) as Agreement["capabilities"],
    serverInfo,
    instructions: typeof result.instructions === "string" ? result.instructions : undefined,
  };
}
