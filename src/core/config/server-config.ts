import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { Type } from "./schema-type.ts";
import type { SocketPlace } from "../http/socket-agent.ts";
import type { Secret } from "../secrets/secret.ts";
import { maxTimerMs } from "../wait.ts";
import { authSchema, checkAddress, checkAuthConfig } from "./auth-config.ts";
import type { ConfigFinding } from "./check-value.ts";
import { checkSandbox, sandboxSchema } from "./sandbox-config.ts";

const duration = (standard: number, minimum: number, description: string) => {
  return Type.Number({ default: standard, minimum, maximum: maxTimerMs, description });
};

const limit = (description: string) => Type.Number({ minimum: 1, maximum: maxTimerMs, description });

export const globs = (description: string, standard: string[]) => {
  return Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { default: standard, description });
};

const texts = (description: string) => {
  return Type.Record(Type.String(), Type.String({ minLength: 1, description: "Its text." }), {
    default: {},
    description,
  });
};

const path = (description: string) => Type.String({ minLength: 1, description });

const tools = Type.Object(
  {
    include: globs("Tools of this server that are offered; `*` matches any characters.", ["*"]),
    exclude: globs("Tools of this server that are left out, even if included above.", []),
    rename: texts("New names for tools: from the server's name of a tool to the name it is offered by."),
    describe: texts("Descriptions in place of the server's own, by the server's name of the tool."),
  },
  { additionalProperties: false, default: {}, description: "Which of its tools are offered, and how they appear." },
);

const tls = Type.Object(
  {
    cert: Type.Optional(path("File with the client certificate, in PEM.")),
    key: Type.Optional(path("File with the private key of that certificate, in PEM.")),
    ca: Type.Optional(path("File with certificate authorities to trust besides the usual ones, in PEM.")),
  },
  { additionalProperties: false, default: {}, description: "Certificates, if the server requires one or has its own." },
);

/** One MCP server whose tools are offered. */
export const serverSchema = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: "Whether this server is used." }),
    url: Type.Optional(Type.String({ description: "Address of the server's MCP endpoint (transport `http`)." })),
    transport: Type.Enum(["http", "stdio"], {
      default: "http",
      description: "How the server is reached. The default is `stdio` if there is a `command` and no `url`.",
    }),
    command: Type.Optional(
      Type.String({ minLength: 1, description: "Command that starts the server (transport `stdio`)." }),
    ),
    args: Type.Array(Type.String(), { default: [], description: "Arguments of the command." }),
    env: Type.Record(Type.String(), Type.String({ description: "Its value." }), {
      default: {},
      description: "Environment variables for the command, besides the harmless ones it always gets.",
    }),
    cwd: Type.Optional(
      path("Folder the command runs in (transport `stdio`). By default the one Clawport was started in."),
    ),
    pidNamespace: Type.Enum(["auto", "off"], {
      default: "auto",
      description:
        "Whether the command gets a PID namespace of its own (Linux), so that nothing it starts outlives it. It then sees no other processes and can't use setuid programs. `auto`: if the system allows it.",
    }),
    sandbox: sandboxSchema,
    headers: Type.Record(Type.String(), Type.String({ description: "Its value. Prefer $NAME for a secret." }), {
      default: {},
      description: "Headers that are sent with every request (transport `http`).",
    }),
    tls,
    auth: Type.Optional(authSchema),
    apiKey: Type.Optional(
      Type.String({
        minLength: 1,
        description: "API key that is sent as a Bearer token. Prefer an environment variable: $NAME.",
      }),
    ),
    toolPrefix: Type.Optional(
      Type.String({
        maxLength: 64,
        pattern: "^[A-Za-z0-9_.-]*$",
        description: "What the names of its tools begin with: `<prefix>__<tool>`. By default the server's name.",
      }),
    ),
    tools,
    roots: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: "Folders or URIs that the server is asked to work in. They do not confine it.",
    }),
    connectTimeoutMs: duration(10_000, 1, "Milliseconds that connecting may take."),
    requestTimeoutMs: Type.Optional(
      limit(
        "Milliseconds that one request may take without reporting progress. By default 600000 for calls and 30000 for lists.",
      ),
    ),
    maxTotalTimeoutMs: Type.Optional(
      limit(
        "Milliseconds that one call may take in total, even if it reports progress. By default there is no limit, and one hour for a task of the server.",
      ),
    ),
    maxMessageBytes: Type.Integer({
      default: 67_108_864,
      minimum: 1024,
      description: "Largest message that is accepted from the server.",
    }),
    heartbeatMs: duration(60_000, 0, "Milliseconds after which a quiet connection is checked; 0 never checks it."),
    start: Type.Enum(["lazy", "eager"], {
      default: "lazy",
      description:
        "When the command is started (transport `stdio`). `lazy`: with its first call, if its tools are known from an earlier start. `eager`: at once, and it keeps running.",
    }),
    idleStop: duration(
      600_000,
      0,
      "Milliseconds without use after which a command that starts lazily is stopped; 0 never stops it.",
    ),
    era: Type.Enum(["auto", "legacy", "modern"], {
      default: "auto",
      description:
        "Which MCP revisions are used: `legacy` has sessions (up to 2025-11-25), `modern` has none (from 2026-07-28 on), `auto` detects it.",
    }),
    share: Type.Boolean({
      default: true,
      description:
        "Whether servers that are reached in exactly the same way share one connection or process. Addresses without a key never do: each may be signed in to.",
    }),
    identity: Type.Optional(
      Type.Boolean({
        description:
          "Whether each call tells the server who asked for it, in a signed statement (`_meta`, `clawport/identity`). By default no server is told.",
      }),
    ),
    arguments: Type.Enum(["pass", "check"], {
      default: "pass",
      description:
        "Who judges the arguments of calls. `pass`: the server, as if it were called directly. `check`: Clawport refuses arguments that do not fit the tool's schema.",
    }),
    trusted: Type.Boolean({
      default: false,
      description: "Whether this server's hints about its tools (read-only, destructive …) count under `strict`.",
    }),
  },
  { additionalProperties: false, description: "An MCP server whose tools are offered." },
);

export interface ServerConfig extends Type.Static<typeof serverSchema> {
  /** What came from the environment. Set by `parseConfig`, not part of the file. */
  secrets?: readonly Secret[];
  /** How a hub of this machine is reached. Set by the plugin that uses one, not part of the file. */
  socket?: SocketPlace;
  /** `app` for a hub's address of its apps. Set by the plugin that uses one, not part of the file. */
  kind?: "app";
}

/**
 * What a schema can't express: which fields belong together, and which addresses are safe to talk to. Skips servers that
 * already have a finding.
 */
export function checkServersConfig(
  config: { readonly servers: Readonly<Record<string, ServerConfig>> },
  findings: readonly ConfigFinding[],
): readonly ConfigFinding[] {
  if (findings.some(({ path }) => path.length === 0 || (path[0] === "servers" && path.length === 1))) return [];
  const wrong = new Set(findings.filter(({ path }) => path[0] === "servers").map(({ path }) => path[1]));
  return Object.entries(config.servers)
    .filter(([name]) => !wrong.has(name))
    .flatMap(([name, server]) =>
      [...checkName(name), ...checkServerConfig(server)].map((found) => ({
        ...found,
        path: ["servers", name, ...found.path],
      })),
    );
}

/** Clawport's own sources of tools have these names. */
export const reservedServerNames = ["agent", "machine"];

function checkName(name: string): ConfigFinding[] {
  if (!reservedServerNames.includes(name)) return [];
  return [
    { path: [], message: "has a name that Clawport itself uses; rename it, and set `toolPrefix` to the old name" },
  ];
}

/** Sets `stdio` if only a command is given. Done before the defaults are filled in, which would set `http`. */
export function inferTransport(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("servers" in value)) return value;
  const { servers } = value;
  if (typeof servers !== "object" || servers === null || Array.isArray(servers)) return value;
  const entries = Object.entries(servers).map(([name, server]: [string, unknown]) => {
    const isCommand = typeof server === "object" && server !== null && "command" in server && !("url" in server);
    return [name, isCommand && !("transport" in server) ? { ...server, transport: "stdio" } : server];
  });
  return { ...value, servers: Object.fromEntries(entries) };
}

/** Everything wrong with one server, with paths that begin inside it. */
export function checkServerConfig(server: ServerConfig): readonly ConfigFinding[] {
  return [...(server.transport === "stdio" ? checkCommand(server) : checkRemote(server)), ...checkCommon(server)];
}

function checkCommand({ command, args, env, sandbox, pidNamespace }: ServerConfig): ConfigFinding[] {
  const findings: ConfigFinding[] = [...checkSandbox(sandbox, pidNamespace)];
  if (command === undefined) findings.push({ path: [], message: "needs a `command`, since its transport is stdio" });
  if ([command ?? "", ...args].some((word) => word.includes("\0"))) {
    findings.push({ path: ["args"], message: "contain a NUL character, which no command accepts" });
  }
  for (const [name, value] of Object.entries(env)) {
    const isGood = name !== "" && !/[=\0]/.test(name) && !value.includes("\0");
    if (!isGood) findings.push({ path: ["env", name], message: "can't be an environment variable" });
  }
  return findings;
}

function checkRemote({ url, headers, apiKey, auth, tls }: ServerConfig): ConfigFinding[] {
  const findings = checkAddress(["url"], url);
  if (url === undefined) findings.push({ path: [], message: "needs a `url` or a `command`" });
  findings.push(...judgeHeaders(headers).map(({ name, message }) => ({ path: ["headers", name], message })));
  const authorization = Object.keys(headers).find((name) => name.toLowerCase() === "authorization");
  if (apiKey !== undefined && authorization !== undefined) {
    findings.push({ path: ["headers", authorization], message: "and `apiKey` say the same thing; keep one of them" });
  }
  if (auth !== undefined && (apiKey !== undefined || authorization !== undefined)) {
    const key = apiKey === undefined ? "an Authorization header" : "`apiKey`";
    findings.push({ path: ["auth"], message: `and ${key} are two ways to sign in; keep one of them` });
  }
  const bearer = apiKey === undefined ? [] : judgeHeaders({ authorization: apiKey });
  findings.push(...bearer.map(({ message }) => ({ path: ["apiKey"], message })));
  if ((tls.cert === undefined) !== (tls.key === undefined)) {
    findings.push({ path: ["tls"], message: "needs `cert` and `key` together" });
  }
  return findings;
}

function checkCommon({ auth, tools, roots, url, command }: ServerConfig): ConfigFinding[] {
  const findings: ConfigFinding[] = auth === undefined ? [] : [...checkAuthConfig(auth)];
  if (url !== undefined && command !== undefined) {
    findings.push({ path: [], message: "has a `url` and a `command`; keep one of them" });
  }
  for (const [index, root] of roots.entries()) {
    if (rootUri(root) !== undefined) continue;
    findings.push({
      path: ["roots", index],
      message: "is neither an absolute path nor a URI; begin it with / or with $HOME/",
    });
  }
  const seen = new Set<string>();
  for (const [tool, name] of Object.entries(tools.rename)) {
    if (seen.has(name)) findings.push({ path: ["tools", "rename", tool], message: "has the name of another tool" });
    seen.add(name);
  }
  return findings;
}

type HeaderFinding = { readonly name: string; readonly message: string };

/**
 * The transport sets these itself; a value from a file would contradict it. Not `MCP-Session-Id`: an app proxy routes by
 * the one that the user was given.
 */
const reservedHeaders =
  /^(?:host|connection|content-length|content-type|accept|transfer-encoding|te|trailer|upgrade|keep-alive|last-event-id|mcp-(?!session-id$).*)$/;

/** Whether the transport sets the header itself. */
export function isReservedHeader(name: string): boolean {
  return reservedHeaders.test(name.toLowerCase());
}

/** What is wrong with static request headers. Values are never repeated: they may be secret. */
function judgeHeaders(headers: Readonly<Record<string, string>>): readonly HeaderFinding[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const message = judgeHeader(name, value, seen);
    seen.add(name.toLowerCase());
    return message === undefined ? [] : [{ name, message }];
  });
}

function judgeHeader(name: string, value: string, seen: ReadonlySet<string>): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return "is not a valid header name; use letters, digits and -";
  if (isReservedHeader(name)) return "is set by Clawport itself; leave it out";
  if (seen.has(name.toLowerCase())) return "is given twice, in different case";
  if (!/^[\t\u0020-\u007E\u0080-\u00FF]*$/.test(value))
    return "contains a line break or another character that headers can't carry";
  return undefined;
}

/** The URI of an absolute path, or a URI as it is; undefined for a relative path. */
export function rootUri(root: string): string | undefined {
  if (isAbsolute(root)) return pathToFileURL(root).href;
  return /^[a-z][a-z\d+.-]+:/i.test(root) ? URL.parse(root)?.href : undefined;
}
