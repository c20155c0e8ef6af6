import { basename } from "node:path";
import type { AuthConfig } from "../../core/config/auth-schema.ts";
import { checkServer } from "../../core/config/check-servers.ts";
import { formatPath } from "../../core/config/config-path.ts";
import { rootUri } from "../../core/config/root-uri.ts";
import type { Config } from "../../core/config/schema.ts";
import type { ServerConfig } from "../../core/config/server-schema.ts";
import { Secret } from "../../core/secret.ts";
import { fingerprintOf } from "./definition-fingerprint.ts";

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
export function hasOwnKey({ apiKey, headers }: HttpTarget): boolean {
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
    const problems = checkServer(settings).map(({ path, message }) => {
      return { server, message: `${formatPath(path)} ${message}`.trim() };
    });
    return { problems, definition: problems.length === 0 ? define(server, settings) : undefined };
  });
  return {
    definitions: results.flatMap(({ definition }) => definition ?? []),
    problems: results.flatMap(({ problems }) => problems),
  };
}

/** Commands that may have to fetch a program before they can start it. */
const fetchingCommands = /^(?:npx|npm|pnpm|yarn|bunx|uvx|uv|pipx|docker|podman)(?:\.cmd|\.exe)?$/;
const fetchingMs = 120_000;

function define(name: string, settings: ServerConfig): ServerDefinition {
  const { transport, toolPrefix, roots, requestTimeoutMs, maxTotalTimeoutMs } = settings;
  const { enabled, tools, share, trusted, connectTimeoutMs, maxMessageBytes, heartbeatMs, era } = settings;
  const connection = {
    transport: transport === "http" ? toHttpTarget(settings) : toStdioTarget(settings),
    connectTimeoutMs: isFetching(settings) ? Math.max(connectTimeoutMs, fetchingMs) : connectTimeoutMs,
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
function isFetching({ transport, command = "" }: ServerConfig): boolean {
  return transport === "stdio" && fetchingCommands.test(basename(command));
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
