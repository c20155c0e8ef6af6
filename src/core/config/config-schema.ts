import { Type } from "./schema-type.ts";
import { maxTimerMs } from "../wait.ts";
import { agentSchema } from "./agent-config.ts";
import { agentServersSchema } from "./agent-servers-config.ts";
import { appsSchema } from "./apps-config.ts";
import type { CheckedSchema } from "./check-value.ts";
import { machineSchema } from "./machine-config.ts";
import { type Policy, policySchema } from "./policy-config.ts";
import { resultsSchema } from "./results-config.ts";
import { globs, serverSchema } from "./server-config.ts";

const hub = Type.Object(
  {
    host: Type.String({ default: "127.0.0.1", minLength: 1, description: "Address the hub listens on." }),
    port: Type.Integer({
      default: 8765,
      minimum: 0,
      maximum: 65_535,
      description: "Port the hub listens on; 0 picks a free one.",
    }),
    allowRemote: Type.Boolean({
      default: false,
      description:
        "Must be true if `host` is reachable from other machines: anyone who reaches it and has a token may call tools.",
    }),
    publicUrl: Type.Optional(
      Type.String({
        pattern: "^https://[^/?#]+/?$",
        description:
          "Public address (https) of the hub, behind a proxy of yours. There it serves `/oauth/client.json`, which describes it to authorization servers.",
      }),
    ),
    maxConcurrent: Type.Integer({
      default: 256,
      minimum: 1,
      description: "Requests served at the same time, at most half of them for one token. Others get 503.",
    }),
    maxBodyBytes: Type.Integer({
      default: 4_194_304,
      minimum: 1024,
      description: "Largest request body. A larger one gets 413.",
    }),
    toolNames: Type.Enum(["short", "full"], {
      default: "short",
      description:
        "How tools are called at `/`, `/mcp` and by `serve`. `short`: at most 48 letters, digits, `_` and `-`, which every client and model accepts. `full`: with dots, up to 64 characters. Calls and rules may use either name.",
    }),
    surface: Type.Enum(["auto", "full", "search"], {
      default: "auto",
      description:
        "What clients get at `/`, `/mcp` and from `serve`. `full`: all tools in one list. `search`: `search_tools`, `describe_tool` and `call_tool`, which find and call the others. `auto`: `search` for clients that would load more than 60 tools or 60 KB of definitions at once. A token, `serve --surface` and `?surface=` in an address take precedence.",
    }),
    scripts: Type.Enum(["auto", "on", "off"], {
      default: "auto",
      description:
        "Who gets `run_script`, which runs a short program over the tools, at `/`, `/mcp` and from `serve`. `auto`: clients with the `search` surface. `on`: all clients. `off`: none.",
    }),
    always: globs("Names of tools that `search` lists beside its own three; `*` matches any characters.", []),
  },
  { additionalProperties: false, default: {}, description: "Where the hub listens, and its limits." },
);

const scripts = Type.Object(
  {
    timeout: Type.Integer({
      default: 3_600_000,
      minimum: 1000,
      maximum: maxTimerMs,
      description: "Milliseconds that a script may take, with everything it waits for.",
    }),
    parallel: Type.Integer({
      default: 8,
      minimum: 1,
      maximum: 64,
      description: "Calls of one script at the same time.",
    }),
    maxCalls: Type.Integer({ default: 1000, minimum: 1, maximum: 100_000, description: "Calls of one script in all." }),
    memoryMb: Type.Integer({
      default: 64,
      minimum: 8,
      maximum: 1024,
      description: "Megabytes that one script may use.",
    }),
  },
  {
    additionalProperties: false,
    default: {},
    description: "Limits of the scripts that clients send with `run_script`.",
  },
);

const log = Type.Object(
  {
    level: Type.Enum(["debug", "info", "warn", "error"], {
      default: "info",
      description: "The lowest level that is logged.",
    }),
    format: Type.Enum(["human", "json"], {
      default: "human",
      description: "Lines for people (`human`) or for programs (`json`).",
    }),
  },
  { additionalProperties: false, default: {}, description: "What is written to stderr." },
);

const catalog = Type.Object(
  {
    include: globs(
      "Names of tools that are offered, in full or as their sources call them; `*` matches any characters.",
      ["*"],
    ),
    exclude: globs(
      "Names of tools that are left out, even if included above: `files__write_file`, or `write_file` for that tool of every source.",
      [],
    ),
    embeddings: Type.Optional(
      Type.Object(
        {
          url: Type.String({
            pattern: "^https?://[^/?#]+",
            description: "An OpenAI-compatible address, such as http://127.0.0.1:11434/v1 for Ollama.",
          }),
          model: Type.String({ minLength: 1, description: "The embedding model at that address." }),
          apiKey: Type.Optional(Type.String({ description: "The API key for that address. Prefer `$MY_KEY`." })),
        },
        {
          additionalProperties: false,
          description:
            "An embedding model that helps `search_tools` with vague queries. It gets the names and descriptions of all tools, and every query.",
        },
      ),
    ),
  },
  { additionalProperties: false, default: {}, description: "Which tools are offered." },
);

const audit = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: "Whether each call is written to the audit log." }),
    maxBytes: Type.Integer({
      default: 10_485_760,
      minimum: 4096,
      description: "Size at which a new audit file begins.",
    }),
    keep: Type.Integer({ default: 5, minimum: 1, maximum: 1000, description: "How many full audit files are kept." }),
    required: Type.Boolean({
      default: false,
      description: "Whether calls are refused that can't be written to the audit log.",
    }),
    arguments: Type.Boolean({
      default: false,
      description: "Whether each line has the arguments of the call, with secrets masked and cut at 2,000 characters.",
    }),
    chain: Type.Boolean({
      default: false,
      description: "Whether each line has the hash of the line before it, for `clawport audit verify`.",
    }),
  },
  { additionalProperties: false, default: {}, description: "The record of who called what." },
);

/** The whole configuration file. A field with a default may be left out; after loading it is always set. */
export const configSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: "For editors; Clawport ignores it." })),
    hub,
    log,
    catalog,
    policy: Type.Optional(policySchema),
    audit,
    results: resultsSchema,
    scripts,
    agent: agentSchema,
    apps: appsSchema,
    machine: machineSchema,
    servers: Type.Record(Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$" }), serverSchema, {
      additionalProperties: false,
      default: {},
      description: "MCP servers whose tools are offered, by name. A name has letters, digits, `_`, `.` and `-`.",
    }),
    agents: Type.Optional(agentServersSchema),
    toolDiscoveryInterval: Type.Number({
      default: 300_000,
      minimum: 1000,
      maximum: maxTimerMs,
      description: "Milliseconds after which a server is asked for its tools again.",
    }),
    maxConcurrentServers: Type.Integer({
      default: 20,
      minimum: 1,
      description: "Servers that are connected at the same time.",
    }),
    debug: Type.Boolean({ default: false, description: 'The same as `log.level: "debug"`.' }),
  },
  { additionalProperties: false, description: "Configuration of Clawport." },
);

export interface Config extends Omit<Type.Static<typeof configSchema>, "policy"> {
  policy?: Policy;
}

/** The schema for editors: fields with a default are optional, and `$NAME` may stand for a number or a flag. */
export function configJsonSchema(): Record<string, unknown> {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "clawport.json5",
    ...forEditors(configSchema),
  };
}

function forEditors(schema: CheckedSchema): Record<string, unknown> {
  const { properties, patternProperties, required, items, anyOf, ...rest } = schema;
  const needed = required?.filter((key) => properties?.[key]?.default === undefined) ?? [];
  const whole = {
    ...rest,
    ...(properties && { properties: mapParts(properties) }),
    ...(patternProperties && { patternProperties: mapParts(patternProperties) }),
    ...(needed.length > 0 && { required: needed }),
    ...(items && { items: forEditors(items) }),
    ...(anyOf && { anyOf: anyOf.map(forEditors) }),
  };
  return ["integer", "number", "boolean"].includes(schema.type ?? "") ? orReference(whole) : whole;
}

function mapParts(parts: Readonly<Record<string, CheckedSchema>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parts).map(([key, part]) => [key, forEditors(part)]));
}

function orReference(whole: Record<string, unknown>): Record<string, unknown> {
  const { description, default: standard, ...check } = whole;
  const reference = { type: "string", pattern: String.raw`^\$(\w+|\{\w+(:-[^}]*)?\})$` };
  return { description, ...(standard !== undefined && { default: standard }), anyOf: [check, reference] };
}
