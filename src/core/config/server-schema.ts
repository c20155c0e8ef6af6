import { Type } from "typebox";

const auth = Type.Object(
  {
    clientId: Type.Optional(Type.String({ description: "Id of an OAuth client that was registered by hand." })),
    clientSecret: Type.Optional(
      Type.String({ description: "Secret of that client; better as $NAME from the environment than in the file." }),
    ),
    authorizationServerUrl: Type.Optional(
      Type.String({ description: "Address of the authorization server, where discovering it does not work." }),
    ),
    scopes: Type.Optional(
      Type.Array(Type.String(), { description: "Scopes to ask for instead of those the server names." }),
    ),
  },
  { additionalProperties: false, description: "How to sign in with OAuth. Usually everything here is discovered." },
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
    auth: Type.Optional(auth),
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
    connectTimeoutMs: Type.Number({ default: 10_000, minimum: 1, description: "How long connecting may take." }),
    requestTimeoutMs: Type.Number({ default: 30_000, minimum: 1, description: "How long one request may take." }),
    trusted: Type.Boolean({
      default: false,
      description: "Whether what this server says of its tools (read-only, destructive …) is believed under `strict`.",
    }),
  },
  { additionalProperties: false, description: "An MCP server whose tools are offered." },
);

export type ServerConfig = Type.Static<typeof serverSchema>;
