import { visibleText } from "../../core/peer-text.ts";
import { unknownServer } from "../../sources/servers/definition.ts";
import type { ServerStatus } from "../../sources/servers/server-status.ts";
import type { ListedTool } from "../control/hub-control.ts";
import { listRemarks } from "./list-remarks.ts";
import { authText, spanText, stateText } from "./server-text.ts";
import { addServerHint, noServers, type VerbContext, type VerbResult } from "./verb.ts";

const line = "─".repeat(58);
const narrowest = 16;

/** `servers`: every configured server with its state, authentication and number of tools. */
export async function runServers(context: VerbContext): Promise<VerbResult> {
  const servers = await context.control.servers.list();
  const title = `MCP Servers (${servers.length} configured)`;
  if (servers.length === 0) {
    const how = addServerHint(context);
    return { ok: true, data: { servers }, text: `${title}\n${how}` };
  }
  const width = servers.reduce((most, { name }) => Math.max(most, name.length + 2), narrowest);
  const blocks = servers.map((server) => renderServer(server, width, context));
  return { ok: true, data: { servers }, text: [title, line, blocks.join("\n\n"), line].join("\n") };
}

function renderServer(server: ServerStatus, width: number, context: VerbContext): string {
  const status = `Status: ${stateText(server, context)} | Auth: ${authText(server, context.now())} | Tools: ${server.tools}`;
  const address = visibleText(server.address, 300);
  return `  ${server.name.padEnd(width)}${address}\n${" ".repeat(width + 2)}${status}`.trimEnd();
}

/** `status [server]`: the details of one server, or of each. */
export async function runStatus(context: VerbContext, name?: string): Promise<VerbResult> {
  const all = await context.control.servers.list();
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
export function statusText(server: ServerStatus, context: VerbContext): string {
  const { era, version, sessionId, lastHeartbeat, lastError, lists } = server;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Address", visibleText(server.address, 500)],
    ["Status", stateText(server, context)],
    ["Auth", authText(server, context.now())],
    ["Tools", `${server.tools} (resources ${server.resources}, prompts ${server.prompts})`],
    ["Server", infoText(server.serverInfo)],
    ["Protocol", era === undefined ? undefined : `${visibleText(version ?? "", 40)} (${era})`],
    ["Session", sessionId === undefined ? undefined : visibleText(sessionId, 200)],
    ["Last heartbeat", lastHeartbeat && `${spanText(context.now() - Date.parse(lastHeartbeat))} ago`],
    ["Last error", lastError === undefined ? undefined : visibleText(lastError, 1000)],
    ...(lists === undefined ? [] : listRemarks(lists).map((remark) => ["Note", remark] as const)),
  ];
  const lines = rows.flatMap(([title, value]) => (value === undefined ? [] : [`  ${title.padEnd(16)}${value}`]));
  return [server.name, ...lines].join("\n");
}

function infoText(info: unknown): string | undefined {
  const { name, version } = (info ?? {}) as { readonly name?: unknown; readonly version?: unknown };
  if (typeof name !== "string") return undefined;
  return visibleText(typeof version === "string" ? `${name} ${version}` : name, 200);
}

const longestLine = 100;

/** `tools [server]`: the tools, by the names they are called with. */
export async function runTools({ control, prefix }: VerbContext, source?: string): Promise<VerbResult> {
  const tools = await control.tools.list(source);
  const text = tools.length === 0 ? noTools(prefix, source) : renderTools(tools);
  return { ok: true, data: { tools }, text };
}

function renderTools(tools: readonly ListedTool[]): string {
  const width = tools.reduce((most, { name }) => Math.max(most, name.length), 0) + 2;
  return tools
    .map(({ name, title, description = title }) => {
      const [first = ""] = visibleText(description ?? "", 2000)
        .trim()
        .split("\n", 1);
      const short = first.length > longestLine ? `${first.slice(0, longestLine - 1)}…` : first;
      return short === "" ? name : `${name.padEnd(width)}— ${short}`;
    })
    .join("\n");
}

function noTools(prefix: string, source: string | undefined): string {
  const [of, see] = source === undefined ? ["", "servers"] : [` from ${source}`, `status ${source}`];
  return `No tools${of}. Run \`${prefix} ${see}\` to see why.`;
}
