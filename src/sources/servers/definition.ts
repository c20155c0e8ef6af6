import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { AuthConfig } from "../../core/config/auth-config.ts";
import { formatPath } from "../../core/config/config-path.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { checkServerConfig, rootUri, type ServerConfig } from "../../core/config/server-config.ts";
import { Fault } from "../../core/fault.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { quoted } from "../../core/peer-text.ts";
import { Secret } from "../../core/secrets/secret.ts";

export interface HttpTarget {
  readonly kind: "http";
  readonly url: URL;
  /** By lower-case name. There is no Origin unless the configuration sets one. */
  readonly headers: Readonly<Record<string, string>>;
  /** Goes out as `Authorization: Bearer …`. */
  readonly apiKey?: Secret;
  /** How to sign in, where the configuration says so; most of it is discovered. */
  readonly auth?: AuthConfig;
  /** Paths of PEM files. */
  readonly tls: { readonly cert?: string; readonly key?: string; readonly ca?: string };
}

/** Whether the configuration holds what lets us in: nobody signs in beside it, since the two would contradict each other. */
export function hasStaticCredentials({ apiKey, headers }: HttpTarget): boolean {
  return apiKey !== undefined || "authorization" in headers;
}

export interface StdioTarget {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** As `roots/list` answers it. */
interface Root {
  readonly uri: string;
  readonly name: string;
}

/** One configured server, checked and complete. Holds secrets in `headers`, `env` and `auth`: never to be printed whole. */
export interface ServerDefinition {
  readonly name: string;
  /** What the names of its tools begin with. */
  readonly prefix: string;
  readonly enabled: boolean;
  readonly transport: HttpTarget | StdioTarget;
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Never less than `requestTimeoutMs`. */
  readonly maxTotalTimeoutMs: number;
  readonly maxMessageBytes: number;
  /** 0 for never. */
  readonly heartbeatMs: number;
  readonly era: ServerConfig["era"];
  readonly roots: readonly Root[];
  /** `include` and `exclude` are globs over the server's own names; `rename` and `describe` go by these names too. */
  readonly tools: ServerConfig["tools"];
  readonly share: boolean;
  readonly trusted: boolean;
  /**
   * Equal where the connection would be the same in every way, whatever the server is called and whichever of its tools
   * are offered: equal ones can share, and one that changed has to start anew.
   */
  readonly fingerprint: string;
}

export interface DefinedServers {
  readonly definitions: readonly ServerDefinition[];
  readonly problems: readonly { readonly server: string; readonly message: string }[];
}

/** A server with a problem is left out and told of; the others are defined all the same. */
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

/** Commands that may have to fetch a program before they can start it. */
const downloadingCommands = /^(?:npx|npm|pnpm|yarn|bunx|uvx|uv|pipx|docker|podman)(?:\.cmd|\.exe)?$/;
const downloadingMs = 120_000;

function defineServer(name: string, settings: ServerConfig): ServerDefinition {
  const { transport, toolPrefix, roots, requestTimeoutMs, maxTotalTimeoutMs } = settings;
  const { enabled, tools, share, trusted, connectTimeoutMs, maxMessageBytes, heartbeatMs, era } = settings;
  const connection = {
    transport: transport === "http" ? toHttpTarget(settings) : toStdioTarget(settings),
    connectTimeoutMs: mayDownload(settings) ? Math.max(connectTimeoutMs, downloadingMs) : connectTimeoutMs,
    requestTimeoutMs,
    maxTotalTimeoutMs: Math.max(maxTotalTimeoutMs, requestTimeoutMs),
    maxMessageBytes,
    heartbeatMs,
    era,
    roots: roots.map((root) => ({ uri: rootUri(root) ?? root, name: basename(root) || root })),
  };
  const fingerprint = fingerprintOf(connection);
  return { name, prefix: toolPrefix ?? name, enabled, ...connection, tools, share, trusted, fingerprint };
}

/** Cutting off a download would only make it start again, for ever. */
function mayDownload({ transport, command = "" }: ServerConfig): boolean {
  return transport === "stdio" && downloadingCommands.test(basename(command));
}

function toHttpTarget({ url = "", headers, apiKey, auth, tls }: ServerConfig): HttpTarget {
  return {
    kind: "http",
    url: new URL(url),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    ...(apiKey !== undefined && { apiKey: new Secret(apiKey) }),
    ...(auth !== undefined && { auth }),
    tls,
  };
}

function toStdioTarget({ command = "", args, env, cwd }: ServerConfig): StdioTarget {
  return { kind: "stdio", command, args, env, ...(cwd !== undefined && { cwd }) };
}

/** For a name that no server has, among these that there are. */
export function unknownServer(name: string, known: readonly string[]): Fault {
  const nearest = nearestName(name, known);
  const hint =
    nearest === undefined
      ? known.length === 0
        ? "There are none: add one with `clawport connect`."
        : `There are: ${known.join(", ")}.`
      : `Did you mean ${quoted(nearest)}?`;
  return new Fault("not-found", `There is no server ${quoted(name, 100)}. ${hint}`);
}

/** A hash over a value, whatever the order of its keys. Nothing of the value can be read from it, secrets included. */
export function fingerprintOf(value: unknown): string {
  return createHash("sha256").update(canonicalText(value)).digest("hex");
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
