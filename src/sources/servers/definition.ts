import { basename } from "node:path";
import type { AuthConfig } from "../../core/config/auth-config.ts";
import { formatPath } from "../../core/config/config-path.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { cageConfigOf, type SandboxConfig } from "../../core/config/sandbox-config.ts";
import { checkServerConfig, rootUri, type ServerConfig } from "../../core/config/server-config.ts";
import { Fault } from "../../core/fault.ts";
import type { SocketPlace } from "../../core/http/socket-agent.ts";
import { nearestName } from "../../core/text/nearest-name.ts";
import { quoted } from "../../core/text/peer-text.ts";
import type { ProgramCommand } from "../../core/process/process-tree.ts";
import { lazyCrypto } from "../../core/secrets/crypto.ts";
import { Secret } from "../../core/secrets/secret.ts";
import type { CallLimits } from "../../mcp/client/call-deadline.ts";

export interface HttpTarget {
  readonly kind: "http";
  readonly url: URL;
  /** How a hub of this machine is reached, instead of by the host and port of its address. */
  readonly socket?: SocketPlace;
  /** By lower-case name. There is no Origin unless the configuration sets one. */
  readonly headers: Readonly<Record<string, string>>;
  /** Goes out as `Authorization: Bearer …`. */
  readonly apiKey?: Secret;
  /** How to sign in, if the configuration says so; most of it is discovered. */
  readonly auth?: AuthConfig;
  readonly tls: TlsFiles;
}

/** Paths of PEM files. */
export interface TlsFiles {
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly ca?: string | undefined;
}

/** Whether the configuration holds credentials. There is no sign-in besides them, since the two would contradict each other. */
export function hasStaticCredentials({ apiKey, headers }: HttpTarget): boolean {
  return apiKey !== undefined || "authorization" in headers;
}

export interface StdioTarget extends Omit<ProgramCommand, "cage"> {
  readonly kind: "stdio";
  readonly sandbox: SandboxConfig;
}

/** As in the answer to `roots/list`. */
interface Root {
  readonly uri: string;
  readonly name: string;
}

/** One configured server, checked and complete. Never print it whole: `headers`, `env` and `auth` hold secrets. */
export interface ServerDefinition {
  readonly name: string;
  /** `app` for a hub's address of its apps: their tools count as tools of apps here, too. */
  readonly kind?: "app" | undefined;
  /** Its tools are called `<prefix>__<tool>`. */
  readonly prefix: string;
  readonly enabled: boolean;
  readonly transport: HttpTarget | StdioTarget;
  readonly connectTimeoutMs: number;
  /** For lists and other requests of our own. */
  readonly requestTimeoutMs: number;
  /** For the requests of callers. The same, unless `requestTimeoutMs` is not configured: then they have longer. */
  readonly callTimeoutMs: number;
  /** Never less than `callTimeoutMs`; undefined for no limit. */
  readonly maxTotalTimeoutMs: number | undefined;
  readonly maxMessageBytes: number;
  /** 0 for never. */
  readonly heartbeatMs: number;
  /** Whether it waits for its first call, once its lists are known. Never for HTTP. */
  readonly isLazy: boolean;
  /** How long a lazy server runs without being used; 0 for ever. */
  readonly idleStopMs: number;
  readonly era: ServerConfig["era"];
  readonly roots: readonly Root[];
  /** All of these go by the server's own names; `include` and `exclude` are globs. */
  readonly tools: ServerConfig["tools"];
  readonly share: boolean;
  readonly trusted: boolean;
  /** Whether arguments that don't fit a tool's schema are refused here. Otherwise the server judges them. */
  readonly checksArguments?: boolean | undefined;
  /** Whether each call says who asked for it. */
  readonly identity?: boolean | undefined;
  /** What its settings took from the environment. */
  readonly secrets: readonly Secret[];
  /**
   * Equal if the connection would be the same in every way, whatever the server's name and the selection of its tools.
   * Servers with equal fingerprints can share a connection; one whose fingerprint changes has to restart.
   */
  readonly fingerprint: string;
}

export interface DefinedServers {
  readonly definitions: readonly ServerDefinition[];
  readonly problems: readonly { readonly server: string; readonly message: string }[];
}

/** A server with a problem is reported and left out; the others are still defined. */
export function defineServers(config: Config): DefinedServers {
  const results = Object.entries(config.servers).map(([server, settings]) => {
    const problems = checkServerConfig(settings).map(({ path, message }) => {
      return { server, message: `${formatPath(path)} ${message}`.trim() };
    });
    return { problems, definition: problems.length === 0 ? defineServer(server, settings) : undefined };
  });
  return {
    definitions: results.flatMap(({ definition }) => definition ?? []),
    problems: results.flatMap(({ problems }) => problems),
  };
}

/** Commands that may have to download a program before they start it. */
const downloadingCommands = /^(?:npx|npm|pnpm|yarn|bunx|uvx|uv|pipx|docker|podman)(?:\.cmd|\.exe)?$/;
const downloadTimeoutMs = 120_000;
/** A list that takes longer is a sign of trouble. */
const defaultRequestTimeoutMs = 30_000;
/** Many tools work for minutes without reporting progress. */
const defaultCallTimeoutMs = 600_000;

function defineServer(name: string, settings: ServerConfig): ServerDefinition {
  const { transport, toolPrefix, roots, requestTimeoutMs, maxTotalTimeoutMs } = settings;
  const {
    enabled,
    tools,
    share,
    trusted,
    identity,
    connectTimeoutMs,
    maxMessageBytes,
    heartbeatMs,
    idleStop,
    era,
    secrets = [],
  } = settings;
  const callTimeoutMs = requestTimeoutMs ?? defaultCallTimeoutMs;
  const connection = {
    transport: transport === "http" ? toHttpTarget(settings) : toStdioTarget(settings),
    connectTimeoutMs: mayDownload(settings) ? Math.max(connectTimeoutMs, downloadTimeoutMs) : connectTimeoutMs,
    requestTimeoutMs: requestTimeoutMs ?? defaultRequestTimeoutMs,
    callTimeoutMs,
    maxTotalTimeoutMs: maxTotalTimeoutMs && Math.max(maxTotalTimeoutMs, callTimeoutMs),
    maxMessageBytes,
    heartbeatMs,
    isLazy: transport === "stdio" && settings.start === "lazy",
    idleStopMs: idleStop,
    era,
    roots: roots.map((root) => ({ uri: rootUri(root) ?? root, name: basename(root) || root })),
  };
  // A cage of its own has a folder that goes by the server's name.
  const hasCage = transport === "stdio" && cageConfigOf(settings.sandbox) !== undefined;
  const fingerprint = fingerprintOf(hasCage ? { ...connection, name } : connection);
  return {
    name,
    kind: settings.kind,
    prefix: toolPrefix ?? name,
    enabled,
    ...connection,
    tools,
    share,
    trusted,
    checksArguments: settings.arguments === "check",
    identity,
    secrets,
    fingerprint,
  };
}

/** The limits of a request that a caller waits for. */
export function callLimits(definition: ServerDefinition): CallLimits {
  const settings = {
    timeoutMs: settingPath(definition, "requestTimeoutMs"),
    maxTotalMs: settingPath(definition, "maxTotalTimeoutMs"),
  };
  return { timeoutMs: definition.callTimeoutMs, maxTotalMs: definition.maxTotalTimeoutMs, settings };
}

/** The limits of a request of our own, such as a list. */
export function requestLimits(definition: ServerDefinition): CallLimits {
  return {
    timeoutMs: definition.requestTimeoutMs,
    settings: { timeoutMs: settingPath(definition, "requestTimeoutMs") },
  };
}

export function settingPath({ name }: ServerDefinition, key: keyof ServerConfig): string {
  return formatPath(["servers", name, key]);
}

/** Cutting off a download would make it start from the beginning each time. */
function mayDownload({ transport, command = "" }: ServerConfig): boolean {
  return transport === "stdio" && downloadingCommands.test(basename(command));
}

function toHttpTarget({ url = "", socket, headers, apiKey, auth, tls }: ServerConfig): HttpTarget {
  return {
    kind: "http",
    url: new URL(url),
    ...(socket !== undefined && { socket }),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    ...(apiKey !== undefined && { apiKey: new Secret(apiKey) }),
    ...(auth !== undefined && { auth }),
    tls,
  };
}

function toStdioTarget({ command = "", args, env, cwd, pidNamespace, sandbox }: ServerConfig): StdioTarget {
  return { kind: "stdio", command, args, env, pidNamespace, sandbox, ...(cwd !== undefined && { cwd }) };
}

export function unknownServer(name: string, known: readonly string[]): Fault {
  const nearest = nearestName(name, known);
  const hint =
    nearest === undefined
      ? known.length === 0
        ? "No servers are configured. Run `clawport connect` to add one."
        : `The servers are: ${known.join(", ")}.`
      : `Did you mean ${quoted(nearest)}?`;
  return new Fault("not-found", `There is no server ${quoted(name, 100)}. ${hint}`);
}

/** A hash of what a server is: its program or its address. Limits, keys and variables may change without making it another one. */
export function definitionIdentity({ transport }: Pick<ServerDefinition, "transport">): string {
  if (transport.kind === "http") return fingerprintOf(`${transport.url.origin}${transport.url.pathname}`).slice(0, 32);
  const { command, args, cwd } = transport;
  return fingerprintOf([command, args, cwd]).slice(0, 32);
}

/** A hash of a value that does not depend on the order of its keys, and reveals nothing of it, secrets included. */
export function fingerprintOf(value: unknown): string {
  return lazyCrypto().createHash("sha256").update(canonicalText(value)).digest("hex");
}

function canonicalText(value: unknown): string {
  if (value instanceof Secret) return `secret:${JSON.stringify(value.reveal())}`;
  if (value instanceof URL) return `url:${JSON.stringify(value.href)}`;
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "none";
  const entries = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${canonicalText(part)}`).join()}}`;
}
