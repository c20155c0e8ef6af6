import { Type } from "typebox";

const glob = (description: string) => Type.String({ minLength: 1, maxLength: 256, description });

const door = Type.Enum(["mcp-stdio", "mcp-http", "plugin", "node", "console", "cli", "app-proxy", "server"], {
  description: "The kind of endpoint a call came through; `server` is a configured server that wants the model.",
});

const toolGlob = glob("Name of the tool in the catalog; `*` stands for any characters, `?` for one.");
const sourceGlob = glob("Id of the source that offers the tool.");
const tokenGlob = glob("Name of the token that opened the door; the main token is called `main`.");

const rule = Type.Object(
  {
    tool: Type.Optional(toolGlob),
    source: Type.Optional(sourceGlob),
    kind: Type.Optional(Type.Enum(["server", "app", "machine", "agent"], { description: "The kind of source." })),
    door: Type.Optional(door),
    token: Type.Optional(tokenGlob),
    client: Type.Optional(glob("What the client calls itself: a client can claim any name.")),
    sender: Type.Optional(glob("The chat sender on whose behalf the agent calls.")),
    agent: Type.Optional(glob("The agent that calls.")),
    annotation: Type.Optional(
      Type.Enum(
        [
          "readOnly",
          "destructive",
          "idempotent",
          "openWorld",
          "!readOnly",
          "!destructive",
          "!idempotent",
          "!openWorld",
        ],
        { description: "What the tool says of itself; `!` turns it round. Left-out hints have the defaults of MCP." },
      ),
    ),
    verdict: Type.Enum(["allow", "ask", "deny"], { description: "What happens to a call that fits." }),
    askClient: Type.Optional(
      Type.Boolean({ description: "Whether the calling client itself may put the question to its person." }),
    ),
    reason: Type.Optional(Type.String({ maxLength: 500, description: "Shown with the question or the denial." })),
  },
  { additionalProperties: false, description: "All fields given must fit; the first rule that fits decides." },
);

const limit = Type.Object(
  {
    tool: Type.Optional(toolGlob),
    source: Type.Optional(sourceGlob),
    token: Type.Optional(tokenGlob),
    door: Type.Optional(door),
    calls: Type.Integer({ minimum: 1, maximum: 1_000_000, description: "So many calls …" }),
    seconds: Type.Number({ exclusiveMinimum: 0, maximum: 31_536_000, description: "… in so many seconds." }),
    per: Type.Optional(
      Type.Enum(["caller", "tool", "caller-and-tool"], {
        default: "caller",
        description: "Whether each caller, each tool, or each caller with each tool has that many.",
      }),
    ),
  },
  { additionalProperties: false, description: "A call must be within every limit that fits it." },
);

/** The `policy` part of the configuration: who may call what, who is asked first, and how often. */
export const policySchema = Type.Object(
  {
    preset: Type.Optional(
      Type.Enum(["open", "default", "strict"], {
        default: "default",
        description:
          "What holds where no rule fits. `open`: everything runs. `default`: everything runs, except that OpenClaw's agent asks before a tool without a read-only hint, and a server before it has the model write. `strict`: whatever is not read-only asks, and hints count only from trusted sources.",
      }),
    ),
    rules: Type.Optional(Type.Array(rule)),
    limits: Type.Optional(Type.Array(limit)),
  },
  { additionalProperties: false, description: "Who may call what, who is asked first, and how often." },
);

export type Policy = Type.Static<typeof policySchema>;
export type PolicyRule = Type.Static<typeof rule>;
export type PolicyLimit = Type.Static<typeof limit>;
