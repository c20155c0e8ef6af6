import type { CallContext } from "../../catalog/call-context.ts";
import { Fault } from "../../core/fault.ts";
import { nearestName } from "../../core/text/nearest-name.ts";
import { quoted, visibleText } from "../../core/text/peer-text.ts";
import { serverStateRow } from "../../core/server-states.ts";
import type { JsonSchema, ToolResult } from "../../mcp/messages/tool.ts";
import { createSchemaChecker } from "../../mcp/schema/schema-checker.ts";
import type { ServerStatus } from "../../sources/servers/server-status.ts";
import type { ListedTool } from "../control/queries/list-tools.ts";
import { keysOf, shapesOf } from "./argument-schema.ts";
import { isOpenState } from "../../sources/servers/server-text.ts";
import { isJsonText, typedArguments } from "./typed-arguments.ts";
import type { PresentationContext } from "./presentation.ts";

export interface CallRequest {
  /** The name in the catalog. */
  readonly tool: string;
  readonly words: readonly string[];
  /** What `-` stands for. */
  readInput(): Promise<string>;
}

/** `call <tool> …`: parses the typed arguments, checks them against the tool's schema, and calls the tool. */
export async function runCall(
  context: PresentationContext,
  request: CallRequest,
  call: CallContext,
): Promise<ToolResult> {
  const tool = await context.control.tools.find({ name: request.tool });
  if (tool === undefined) throw await unknownTool(context, request.tool);
  const args = await typedArguments(request.words, tool.inputSchema, () => request.readInput());
  const verdict = await createSchemaChecker().check(tool.inputSchema, args);
  const slips = slipsIn(args, tool.inputSchema);
  // What a person types as `key=value` is checked here, where a slip can be explained. JSON goes to its server as it is.
  if (!verdict.ok && tool.judgesArguments && request.words.some(isJsonText))
    call.log.warn(`${tool.name}: the arguments don't fit its schema: ${verdict.message}`);
  else if (!verdict.ok) {
    const problems = [verdict.message, ...slips].join("; ");
    throw new Fault("bad-params", `Wrong arguments for ${tool.name}: ${problems}\n${usageOf(tool, context.prefix)}`);
  }
  for (const slip of slips) call.log.warn(`${tool.name}: ${slip}`);
  return context.control.tools.call(tool, args, call);
}

/** Names that an open schema accepts, but that are close to one it knows: probably typos. */
function slipsIn(args: Readonly<Record<string, unknown>>, schema: JsonSchema): readonly string[] {
  const { names, closed } = keysOf(shapesOf(schema, schema));
  if (closed) return [];
  const free = names.filter((name) => !Object.hasOwn(args, name));
  return Object.keys(args).flatMap((key) => {
    const nearest = names.includes(key) ? undefined : nearestName(key, free);
    if (nearest === undefined) return [];
    return `unknown argument ${quoted(key, 100)}; did you mean ${visibleText(nearest, 60)}?`;
  });
}

/** How a tool is called: `clawport call notes__add text=<string> [loud=<boolean>]`. */
function usageOf({ name, inputSchema }: ListedTool, prefix: string): string {
  const { properties, required } = inputSchema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const entries = Object.entries((properties ?? {}) as Record<string, JsonSchema | boolean>);
  const args = entries.map(([key, schema]) => {
    const type = typeof schema === "object" && typeof schema["type"] === "string" ? schema["type"] : "value";
    const text = `${visibleText(key, 60)}=<${visibleText(type, 20)}>`;
    return needed.includes(key) ? text : `[${text}]`;
  });
  return `Usage: ${[prefix, "call", name, ...args].join(" ")}`;
}

/** Names the nearest tool, and the servers that could have it but are not connected. */
export async function unknownTool({ control, prefix }: PresentationContext, name: string): Promise<Fault> {
  const [tools, servers] = await Promise.all([control.tools.list(), control.servers.list()]);
  const names = tools.map((tool) => tool.name);
  const nearest = names.find((each) => each.endsWith(`__${name}`)) ?? nearestName(name, names);
  const hint = nearest === undefined ? `Run \`${prefix} tools\` to list them.` : `Did you mean ${nearest}?`;
  const away = ownersAmong(servers, name).filter((server) => !isOpenState(server) && server.state !== "sleeping");
  const listed = away.map((server) => `${server.name} (${recoveryHint(server, prefix)})`);
  const absent =
    away.length === 0 ? "" : ` These servers are not connected, so their tools are unknown: ${listed.join(", ")}.`;
  return new Fault("unknown-tool", `There is no tool ${quoted(name, 100)}. ${hint}${absent}`);
}

/** The servers whose tools have names like this one; if there are none, all that are enabled. */
function ownersAmong(servers: readonly ServerStatus[], tool: string): readonly ServerStatus[] {
  const owners = servers.filter(
    ({ name, toolPrefix = name }) => toolPrefix === "" || tool.startsWith(`${toolPrefix}__`),
  );
  return owners.length > 0 ? owners : servers.filter(({ state }) => state !== "disabled");
}

function recoveryHint(server: ServerStatus, prefix: string): string {
  const { name, state, reason } = server;
  if (state === "disabled") return reason ?? "`enabled: false` in the configuration";
  if (state === "needs-variable" && reason !== undefined) return reason;
  return `run \`${prefix} ${serverStateRow(state).remedy?.(server) ?? `status ${name}`}\``;
}
