import { Type } from "typebox";
import { longestTimer } from "../deadline.ts";
import { authSchema } from "./auth-schema.ts";

const duration = (standard: number, minimum: number, description: string) => {
  return Type.Number({ default: standard, minimum, maximum: longestTimer, description });
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
