import { Type } from "./schema-type.ts";
import { nearestName } from "../text/nearest-name.ts";
import type { ConfigFinding } from "./check-value.ts";
import { reservedServerNames } from "./server-config.ts";
import { presetWords } from "./preset-words.ts";

const glob = (description: string) => Type.String({ minLength: 1, maxLength: 256, description });

const door = Type.Enum(["mcp-stdio", "mcp-http", "plugin", "node", "console", "cli", "app-proxy", "server"], {
  description: "The kind of endpoint a call came through; `server` is a configured server that uses the model.",
});

const toolGlob = glob(
  "Name of the tool: its full name, or the one that its source has for it; `*` matches any characters, `?` matches one. It holds for every tool that it may mean, also for one whose name got a hash. With `allow` and without `source`, only for a tool that has this very name.",
);
const sourceGlob = glob("Id of the source that offers the tool.");
const tokenGlob = glob("Name of the token that was used; the main token is called `main`.");

const rule = Type.Object(
  {
    tool: Type.Optional(toolGlob),
    source: Type.Optional(sourceGlob),
    kind: Type.Optional(Type.Enum(["server", "app", "machine", "agent"], { description: "The kind of source." })),
    door: Type.Optional(door),
    token: Type.Optional(tokenGlob),
    client: Type.Optional(glob("The name the client gives itself. Clients can claim any name.")),
    sender: Type.Optional(glob("The chat sender on whose behalf the agent calls.")),
    owner: Type.Optional(
      Type.Boolean({ description: "Whether OpenClaw says that the sender owns it. Only for calls of its agents." }),
    ),
    agent: Type.Optional(glob("The agent that acts for the caller; `clawport` if an order calls the tool.")),
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
        { description: "What the tool says about itself; `!` negates it. Missing hints have the defaults of MCP." },
      ),
    ),
    finding: Type.Optional(
      glob(
        "Only what this rule of screening finds (docs/screening.md): `secret-path`, or `*` for all. Such a rule decides about the finding, not about the call: `allow` lets it pass, `deny` refuses what has it.",
      ),
    ),
    verdict: Type.Enum(["allow", "ask", "deny"], { description: "What happens to a call that matches." }),
    askClient: Type.Optional(Type.Boolean({ description: "Whether the calling client itself may ask its user." })),
    reason: Type.Optional(Type.String({ maxLength: 500, description: "Shown with the question or the denial." })),
  },
  { additionalProperties: false, description: "All given fields must match. The first rule that matches decides." },
);

const limit = Type.Object(
  {
    tool: Type.Optional(toolGlob),
    source: Type.Optional(sourceGlob),
    token: Type.Optional(tokenGlob),
    door: Type.Optional(door),
    calls: Type.Integer({ minimum: 1, maximum: 1_000_000, description: "How many calls …" }),
    seconds: Type.Number({ exclusiveMinimum: 0, maximum: 31_536_000, description: "… in how many seconds." }),
    per: Type.Optional(
      Type.Enum(["caller", "tool", "caller-and-tool"], {
        default: "caller",
        description: "Whether the limit applies to each caller, each tool, or each caller with each tool.",
      }),
    ),
  },
  { additionalProperties: false, description: "A call must be within every limit that matches it." },
);

/** The `policy` section: who may call what, what needs approval, and how often. */
export const policySchema = Type.Object(
  {
    preset: Type.Optional(
      Type.Enum(["open", "default", "strict"], {
        default: "default",
        description: `Applies if no rule matches. \`open\`: ${presetWords.open}. \`default\`: ${presetWords.default}. \`strict\`: ${presetWords.strict}.`,
      }),
    ),
    rules: Type.Optional(Type.Array(rule)),
    limits: Type.Optional(Type.Array(limit)),
    unattendedApprovals: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Whether `clawport approve --yes` works without a terminal, so that a script can approve calls. Any model that can run commands can then do so too. Counts only in the configuration in the state folder, in one given by `--config`, or in that of the OpenClaw plugin.",
      }),
    ),
    changedTools: Type.Optional(
      Type.Enum(["pinned", "hide"], {
        default: "pinned",
        description:
          "What clients see of a tool, prompt or instructions that a server changed, until you approve the change. `pinned`: the previous definition. `hide`: nothing.",
      }),
    ),
    flows: Type.Optional(
      Type.Enum(["ask", "note", "off"], {
        description:
          "What happens to a call that can send something out, in a conversation that has read private data and text of strangers. `note`: it is recorded, and asked about once screening has marked that text. By default `ask` under the preset `strict`, else `note`.",
      }),
    ),
    labels: Type.Optional(
      Type.Array(
        Type.Object(
          {
            tool: Type.Optional(toolGlob),
            source: Type.Optional(sourceGlob),
            labels: Type.Array(Type.Enum(["private", "untrusted", "outward"]), {
              description:
                "`private`: it reads what is yours. `untrusted`: it brings what strangers wrote. `outward`: it can send something out.",
            }),
          },
          { additionalProperties: false, description: "The first that matches counts, in place of what is guessed." },
        ),
        { description: "What tools mean for where data may flow." },
      ),
    ),
    screen: Type.Optional(
      Type.Object(
        {
          enabled: Type.Optional(
            Type.Boolean({
              default: true,
              description: "Whether definitions, arguments and results are read for what could mislead.",
            }),
          ),
          secrets: Type.Optional(
            Type.Enum(["mark", "mask"], {
              default: "mark",
              description:
                "What happens to secrets in the text of results. `mark`: a notice says so. `mask`: they are also replaced.",
            }),
          ),
        },
        { additionalProperties: false, description: "What Clawport reads (docs/screening.md)." },
      ),
    ),
    newTools: Type.Optional(
      Type.Enum(["allow", "ask", "hide"], {
        description:
          "What happens to a tool or prompt that a server adds after its first list. `allow`: it can be used. `ask`: it is listed, but using it needs approval. `hide`: it is not listed until you approve it. By default `ask` under the preset `strict`, else `allow`.",
      }),
    ),
  },
  { additionalProperties: false, description: "Who may call what, what needs approval, and how often." },
);

export interface Policy extends Type.Static<typeof policySchema> {
  /** A second policy that has to agree: the one of the folder's configuration. Made by `mergeConfigs`, never read. */
  folder?: Pick<Policy, "preset" | "rules">;
}
export type PolicyRule = Type.Static<typeof rule>;
export type PolicyLimit = Type.Static<typeof limit>;

/** Sources that exist whatever is configured. Use of the model by servers is judged as `sampling__<server>`. */
const ownSources = [...reservedServerNames, "sampling", "results", "scripts"];

/** What rules can refer to. */
interface PolicyContext {
  readonly policy?: Policy | undefined;
  readonly servers: Readonly<Record<string, { readonly toolPrefix?: string | undefined }>>;
  readonly apps: { readonly prefix: string };
  readonly catalog: { readonly include: readonly string[]; readonly exclude: readonly string[] };
  readonly hub: { readonly always: readonly string[] };
}

/**
 * Finds rules, limits and other patterns for a source that is not configured: usually a typing error, and then what they
 * forbid runs. What a glob matches, or which tools an app has, can't be known here.
 */
export function checkPolicyConfig(config: PolicyContext): readonly ConfigFinding[] {
  const { policy = {}, servers, apps, catalog, hub } = config;
  const sources = [...Object.keys(servers), ...ownSources];
  const prefixes = [
    ...Object.entries(servers).map(([name, { toolPrefix }]) => toolPrefix ?? name),
    "sampling",
    apps.prefix,
  ];
  const { rules = [], limits = [] } = policy;
  return [
    ...rules.flatMap((rule, index) => check(rule).map(inSection("rules", index))),
    ...limits.flatMap((limit, index) => check(limit).map(inSection("limits", index))),
    ...checkList(["catalog", "include"], catalog.include),
    ...checkList(["catalog", "exclude"], catalog.exclude),
    ...checkList(["hub", "always"], hub.always),
  ];

  function checkList(path: readonly string[], patterns: readonly string[]): ConfigFinding[] {
    return patterns.flatMap((pattern, index) =>
      checkTool(pattern).map((finding) => ({ ...finding, path: [...path, index] })),
    );
  }

  function check(rule: PolicyRule | PolicyLimit): ConfigFinding[] {
    if (rule.door === "app-proxy" || ("kind" in rule && rule.kind === "app")) return [];
    return [...checkSource(rule.source), ...checkTool(rule.tool)];
  }

  function checkSource(source: string | undefined): ConfigFinding[] {
    if (source === undefined || isGlob(source) || sources.includes(source)) return [];
    if (source.startsWith(`${apps.prefix}-`)) return [];
    const nearest = nearestName(source, sources);
    return [{ path: ["source"], message: "matches no configured source", ...suggest(nearest) }];
  }

  function checkTool(tool: string | undefined): ConfigFinding[] {
    const [head = "", ...rest] = tool?.split("__") ?? [];
    if (rest.length === 0 || isGlob(head) || prefixes.some((prefix) => mayBegin(tool ?? "", prefix))) return [];
    const nearest = nearestName(head, prefixes);
    const meant = nearest === undefined ? undefined : [nearest, ...rest].join("__");
    return [{ path: ["tool"], message: "matches no tool of a configured source", ...suggest(meant) }];
  }
}

/** A name must begin with a letter; one that does not gets `t_` in front. */
function mayBegin(tool: string, prefix: string): boolean {
  return prefix === "" || tool.startsWith(`${prefix}__`) || tool.startsWith(`t_${prefix}__`);
}

function isGlob(text: string): boolean {
  return /[*?]/.test(text);
}

function suggest(suggestion: string | undefined): Pick<ConfigFinding, "suggestion"> {
  return suggestion === undefined ? {} : { suggestion };
}

function inSection(list: string, index: number): (finding: ConfigFinding) => ConfigFinding {
  return (finding) => ({ ...finding, path: ["policy", list, index, ...finding.path] });
}
