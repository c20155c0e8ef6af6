import { visibleText } from "../../core/text/peer-text.ts";
import { protocolText, serverStateRow } from "../../core/server-states.ts";
import { unknownServer } from "../../sources/servers/definition.ts";
import { type ServerStatus, withoutArguments } from "../../sources/servers/server-status.ts";
import type { ListedTool } from "../control/queries/list-tools.ts";
import { listRemarks } from "../../sources/servers/list-remarks.ts";
import { authText, stateText } from "../../sources/servers/server-text.ts";
import {
  addServerHint,
  type Column,
  noServers,
  type Tone,
  type PresentationContext,
  type Presented,
} from "./presentation.ts";
import { spanText } from "../../core/text/span-text.ts";

const line = "─".repeat(58);
const narrowest = 16;

/** `servers`: every configured server with its state, authentication and number of tools. */
export async function runServers(
  context: PresentationContext,
  { showsSandboxes = false }: { readonly showsSandboxes?: boolean } = {},
): Promise<Presented> {
  const servers = await listServers(context);
  if (context.table !== undefined && servers.length > 0) {
    const table = serversTable(servers, context, context.table);
    const sandboxes = showsSandboxes ? servers.flatMap(sandboxLine) : [];
    const text = sandboxes.length === 0 ? table : [table, "", ...sandboxes].join("\n");
    return { ok: true, data: { servers }, text };
  }
  const title = `MCP Servers (${servers.length} configured)`;
  if (servers.length === 0) {
    const how = addServerHint(context);
    return { ok: true, data: { servers }, text: `${title}\n${how}` };
  }
  const width = servers.reduce((most, { name }) => Math.max(most, name.length + 2), narrowest);
  const blocks = servers.map((server) => renderServer(server, width, context));
  return { ok: true, data: { servers }, text: [title, line, blocks.join("\n\n"), line].join("\n") };
}

async function listServers({ control, hidesArguments }: PresentationContext): Promise<readonly ServerStatus[]> {
  const servers = await control.servers.list();
  if (!hidesArguments) return servers;
  return servers.map((server) => ({ ...server, address: withoutArguments(server.address) }));
}

function sandboxLine({ name, sandbox }: ServerStatus): readonly string[] {
  return sandbox === undefined ? [] : [`${name}: sandbox ${visibleText(sandbox, 500)}`];
}

/** What keeps a server from being used is below the table: it is often too long for a column. */
function serversTable(
  servers: readonly ServerStatus[],
  context: PresentationContext,
  table: NonNullable<PresentationContext["table"]>,
): string {
  const columns: readonly Column<ServerStatus>[] = [
    { title: "NAME", text: ({ name }) => name },
    { title: "STATUS", text: (server) => shortState(stateText(server, context)), tone: stateTone },
    { title: "AUTH", text: (server) => authText(server, context.now()) },
    { title: "TOOLS", text: ({ tools }) => String(tools) },
    { title: "ADDRESS", text: ({ address }) => visibleText(address, 300), tone: () => "quiet" },
  ];
  const reasons = servers.flatMap((server) => {
    const state = stateText(server, context);
    return state === shortState(state) || server.state in restingStates ? [] : [`${server.name}: ${state}`];
  });
  const resting = Object.entries(restingStates).flatMap(([state, remark]) =>
    servers.some((server) => server.state === state) ? [remark] : [],
  );
  const remarks = [...reasons, ...resting];
  return [table(servers, columns), ...(remarks.length > 0 ? ["", ...remarks] : [])].join("\n");
}

/** Most servers are in these states most of the time: one line for all of them. */
const restingStates: Readonly<Record<string, string>> = {
  sleeping: "Sleeping servers start with their next call.",
  queued: "Queued servers connect with their first call.",
};

/** Without the reason: `Reconnecting in 3 s`. */
function shortState(state: string): string {
  return state.replace(/(?:: | \((?!PID )).*$/s, "");
}

function stateTone({ state }: ServerStatus): Tone {
  const { tone } = serverStateRow(state);
  return tone === "busy" ? "weak" : tone;
}

function renderServer(server: ServerStatus, width: number, context: PresentationContext): string {
  const status = `Status: ${stateText(server, context)} | Auth: ${authText(server, context.now())} | Tools: ${server.tools}`;
  const address = visibleText(server.address, 300);
  return `  ${server.name.padEnd(width)}${address}\n${" ".repeat(width + 2)}${status}`.trimEnd();
}

/** `status [server]`: the details of one server, or of each. */
export async function runStatus(context: PresentationContext, name?: string): Promise<Presented> {
  const all = await listServers(context);
  const servers = name === undefined ? all : all.filter((server) => server.name === name);
  if (name !== undefined && servers.length === 0)
    throw unknownServer(
      name,
      all.map((server) => server.name),
    );
  const text = servers.map((server) => statusText(server, context)).join("\n\n");
  return { ok: true, data: { servers }, text: text === "" ? noServers(context) : text };
}

/** The details of one server. */
export function statusText(server: ServerStatus, context: PresentationContext): string {
  const { era, sessionId, lastHeartbeat, lastError, lists } = server;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Address", visibleText(server.address, 500)],
    ["Status", stateText(server, context)],
    ["Auth", authText(server, context.now())],
    ["Tools", `${server.tools} (resources ${server.resources}, prompts ${server.prompts})`],
    ["Sandbox", server.sandbox === undefined ? undefined : visibleText(server.sandbox, 500)],
    ["Server", infoText(server.serverInfo)],
    ["Protocol", era === undefined ? undefined : visibleText(protocolText(server), 60)],
    ["Session", sessionId === undefined ? undefined : visibleText(sessionId, 200)],
    ["Last heartbeat", lastHeartbeat && `${spanText(context.now() - Date.parse(lastHeartbeat))} ago`],
    ["Last error", lastError === undefined || saysError(server) ? undefined : visibleText(lastError, 1000)],
    ...(lists === undefined ? [] : listRemarks(lists).map((remark) => ["Note", remark] as const)),
  ];
  const lines = rows.flatMap(([title, value]) => (value === undefined ? [] : [`  ${title.padEnd(16)}${value}`]));
  return [context.heading?.(server.name) ?? server.name, ...lines].join("\n");
}

/** Whether its state is shown with the last error already. */
function saysError({ state, reason, lastError }: ServerStatus): boolean {
  return reason === lastError || state === "connecting";
}

function infoText(info: unknown): string | undefined {
  const { name, version } = (info ?? {}) as { readonly name?: unknown; readonly version?: unknown };
  if (typeof name !== "string") return undefined;
  return visibleText(typeof version === "string" ? `${name} ${version}` : name, 200);
}

const maxLineLength = 100;

/** `tools [server]`: the tools, by the names they are called with. `tools <tool>`: everything about one of them. */
export async function runTools(context: PresentationContext, name?: string): Promise<Presented> {
  if (name === undefined) return presentTools(context);
  return (await describeNamedTool(context, name)) ?? presentTools(context, name);
}

/** Undefined for the name of a server, which takes precedence. */
async function describeNamedTool(context: PresentationContext, name: string): Promise<Presented | undefined> {
  const { control } = context;
  const servers = await control.servers.list();
  if (servers.some((server) => server.name === name)) return undefined;
  const tool = await control.tools.find({ name });
  const { describeTool, unknownName } = await import("./describe-tool.ts");
  if (tool !== undefined) return describeTool(tool, context);
  const isOwner = (each: ListedTool): boolean => each.source === name || each.name.startsWith(`${name}__`);
  if ((await control.tools.list()).some(isOwner)) return undefined;
  throw await unknownName(context, name);
}

/** The tools of a server, or of all. */
export async function presentTools(context: PresentationContext, source?: string): Promise<Presented> {
  const { control, table } = context;
  const tools = await control.tools.list({ source });
  const text =
    tools.length === 0 ? await noTools(context, source) : (table?.(tools, toolColumns) ?? renderTools(tools));
  return { ok: true, data: { tools }, text };
}

/** `tools --search <words> [server]`: those that have all of the words, the best first; else those that come closest. */
export async function runToolSearch(
  { control, prefix, table }: PresentationContext,
  query: string,
  source?: string,
): Promise<Presented> {
  const found = await control.tools.search({ query, source, limit: 200, closest: true });
  const { tools, total, isClosest } = found;
  if (total === 0) return { ok: true, data: found, text: noMatch(prefix) };
  const shown = table?.(tools, toolColumns) ?? renderTools(tools);
  const more = total > tools.length ? `\n${total - tools.length} more. Give more words to narrow it down.` : "";
  const heading = isClosest ? "No tool has all of these words. These come closest:\n" : "";
  return { ok: true, data: found, text: `${heading}${shown}${more}` };
}

function noMatch(prefix: string): string {
  return `No tool matches. Use other words, or run \`${prefix} tools\` to list all tools.`;
}

type ShownTool = Pick<ListedTool, "name" | "title" | "description">;

const toolColumns: readonly Column<ShownTool>[] = [
  { title: "TOOL", text: ({ name }) => name },
  { title: "DESCRIPTION", text: shortDescription },
];

function renderTools(tools: readonly ShownTool[]): string {
  const width = tools.reduce((most, { name }) => Math.max(most, name.length), 0) + 2;
  return tools
    .map((tool) => {
      const short = shortDescription(tool);
      return short === "" ? tool.name : `${tool.name.padEnd(width)}— ${short}`;
    })
    .join("\n");
}

function shortDescription({ title, description = title }: ShownTool): string {
  const [first = ""] = visibleText(description ?? "", 2000)
    .trim()
    .split("\n", 1);
  return first.length > maxLineLength ? `${first.slice(0, maxLineLength - 1)}…` : first;
}

async function noTools(context: PresentationContext, source: string | undefined): Promise<string> {
  const { control, prefix } = context;
  if (source === undefined && (await control.servers.list()).length === 0) return noServers(context);
  const [of, see] = source === undefined ? ["", "servers"] : [` from ${source}`, `status ${source}`];
  return `No tools${of}. Run \`${prefix} ${see}\` to see why.`;
}
