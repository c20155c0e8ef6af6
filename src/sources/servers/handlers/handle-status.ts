import { visibleText } from "../../../catalog/guard/visible-text.ts";
import type { ServerStatus } from "../server-status.ts";
import { unknownServer } from "../unknown-server.ts";
import { authText } from "./auth-text.ts";
import { type Handled, type HandlerContext, noServers } from "./handled.ts";
import { spanText } from "./span-text.ts";
import { stateText } from "./state-text.ts";

/** `status [server]`: everything there is to know about one server, or about each. */
export async function handleStatus(context: HandlerContext, name?: string): Promise<Handled> {
  const all = await context.control.servers();
  const servers = name === undefined ? all : all.filter((server) => server.name === name);
  if (name !== undefined && servers.length === 0)
    throw unknownServer(
      name,
      all.map((server) => server.name),
    );
  const text = servers.map((server) => statusText(server, context)).join("\n\n");
  return { ok: true, data: { servers }, text: text === "" ? noServers(context) : text };
}

/** One server in full. */
export function statusText(server: ServerStatus, context: HandlerContext): string {
  const { era, version, sessionId, lastHeartbeat, lastError } = server;
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
  ];
  const lines = rows.flatMap(([title, value]) => (value === undefined ? [] : [`  ${title.padEnd(16)}${value}`]));
  return [server.name, ...lines].join("\n");
}

function infoText(info: unknown): string | undefined {
  const { name, version } = (info ?? {}) as { readonly name?: unknown; readonly version?: unknown };
  if (typeof name !== "string") return undefined;
  return visibleText(typeof version === "string" ? `${name} ${version}` : name, 200);
}
