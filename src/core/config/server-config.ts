import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { Type } from "typebox";
import { maxTimerMs } from "../wait.ts";
import { authSchema, checkAddress, checkAuthConfig } from "./auth-config.ts";
import type { ConfigFinding } from "./check-value.ts";

const duration = (standard: number, minimum: number, description: string) => {
  return Type.Number({ default: standard, minimum, maximum: maxTimerMs, description });
};

const globs = (description: string, standard: string[]) => {
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
    include: globs("Tools of this server that are offered; `*` stands for any characters.", ["*"]),
    exclude: globs("Tools of this server that are left out, even when included above.", []),
    rename: texts("New names for tools: the server's name of the tool, then the one it is offered under."),
    describe: texts("Descriptions in place of the server's own, by the server's name of the tool."),
  },
  { additionalProperties: false, default: {}, description: "Which of its tools are offered, and how they appear." },
);

const tls = Type.Object(
  {
    cert: Type.Optional(path("File with the client certificate, in PEM.")),
    key: Type.Optional(path("File with the private key of that certificate, in PEM.")),
    ca: Type.Optional(path("File with the authorities to believe besides the usual ones, in PEM.")),
  },
  { additionalProperties: false, default: {}, description: "Certificates, where the server wants or has its own." },
);

/** One MCP server whose tools are offered. */
export const serverSchema = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: "Whether this server is used." }),
    url: Type.Optional(Type.String({ description: "Address of the server's MCP endpoint (transport `http`)." })),
    transport: Type.Enum(["http", "stdio"], {
      default: "http",
      description: "How the server is reached. `stdio` is taken when there is a `command` and no `url`.",
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
      path("Folder the command runs in (transport `stdio`). The one Clawport was started in unless given."),
    ),
    headers: Type.Record(Type.String(), Type.String({ description: "Its value; a secret is better as $NAME." }), {
      default: {},
      description: "Headers that go along with every request (transport `http`).",
    }),
    tls,
    auth: Type.Optional(authSchema),
    apiKey: Type.Optional(
      Type.String({
        minLength: 1,
        description: "Key that is sent as a Bearer token; better as $NAME from the environment.",
      }),
    ),
    toolPrefix: Type.Optional(
      Type.String({
        maxLength: 64,
        pattern: "^[A-Za-z0-9_.-]*$",
        description: "What the names of its tools begin with: `<prefix>__<tool>`. The server's name unless given.",
      }),
    ),
    tools,
    roots: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: "Folders or URIs that the server is told to work in. They inform it; they do not confine it.",
    }),
    connectTimeoutMs: duration(10_000, 1, "How long connecting may take."),
    requestTimeoutMs: duration(30_000, 1, "How long one request may take without a sign of progress."),
    maxTotalTimeoutMs: duration(600_000, 1, "How long one request may take however much progress is reported."),
    maxMessageBytes: Type.Integer({
      default: 67_108_864,
      minimum: 1024,
      description: "Largest message that is taken from the server.",
    }),
    heartbeatMs: duration(60_000, 0, "How often a connection that is quiet is tried; 0 never tries it."),
    era: Type.Enum(["auto", "legacy", "modern"], {
      default: "auto",
      description:
        "Which MCP is spoken: `legacy` has sessions (up to 2025-11-25), `modern` has none (from 2026-07-28 on), `auto` finds out.",
    }),
    share: Type.Boolean({
      default: true,
      description:
        "Whether servers that are reached in exactly the same way share one connection or process. Addresses without a key never do: each may be signed in to.",
    }),
    trusted: Type.Boolean({
      default: false,
      description: "Whether what this server says of its tools (read-only, destructive …) is believed under `strict`.",
    }),
  },
  { additionalProperties: false, description: "An MCP server whose tools are offered." },
);

export type ServerConfig = Type.Static<typeof serverSchema>;

/**
 * What a schema can't say of a server: which fields belong together, and which addresses are safe to talk to. Servers in
 * which something else is wrong already are passed over.
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

/** What else offers tools is found under these names. */
const ownNames: ReadonlySet<string> = new Set(["agent", "machine"]);

function checkName(name: string): ConfigFinding[] {
  if (!ownNames.has(name)) return [];
  return [{ path: [], message: "has a name that Clawport itself uses; give it another, and `toolPrefix` the old one" }];
}

/** `stdio` where only a command is given. Done before the defaults are filled in, which would say `http`. */
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

function checkCommand({ command, args, env }: ServerConfig): ConfigFinding[] {
  const findings: ConfigFinding[] = [];
  if (command === undefined) findings.push({ path: [], message: "needs a `command`, since its transport is stdio" });
  if ([command ?? "", ...args].some((word) => word.includes("\0"))) {
    findings.push({ path: ["args"], message: "hold a NUL character, which no command can be given" });
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
      message: "is neither a whole path nor a URI; begin it with / or with $HOME/",
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

/** Set by the transport from what it sends; a value from a file would contradict it. */
const reservedHeaders =
  /^(?:host|connection|content-length|content-type|accept|transfer-encoding|te|trailer|upgrade|keep-alive|last-event-id|mcp-.*)$/;

/** Whether the transport sets the header itself. */
export function isReservedHeader(name: string): boolean {
  return reservedHeaders.test(name.toLowerCase());
}

/** What is wrong with static request headers. Values are never repeated: they may be secret. */
export function judgeHeaders(headers: Readonly<Record<string, string>>): readonly HeaderFinding[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const message = judgeHeader(name, value, seen);
    seen.add(name.toLowerCase());
    return message === undefined ? [] : [{ name, message }];
  });
}

function judgeHeader(name: string, value: string, seen: ReadonlySet<string>): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return "is no name for a header; letters, digits and - are";
  if (isReservedHeader(name)) return "is set by Clawport itself; leave it out";
  if (seen.has(name.toLowerCase())) return "is given twice, in different letters";
  if (!/^[\t\u0020-\u007E\u0080-\u00FF]*$/.test(value)) return "holds a line break or a character no header can carry";
  return undefined;
}

/** The URI for a folder, or a URI as it is; nothing for a path that says not where it begins. */
export function rootUri(root: string): string | undefined {
  if (isAbsolute(root)) return pathToFileURL(root).href;
  return /^[a-z][a-z\d+.-]+:/i.test(root) ? URL.parse(root)?.href : undefined;
}
