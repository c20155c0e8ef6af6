import { isOpenState } from "./is-open-state.ts";
import { type Handled, type HandlerContext, noServers } from "./handled.ts";
import { stateText } from "./state-text.ts";

/** `refresh [server]`: asks for the lists again, and says what is there now. */
export async function handleRefresh(context: HandlerContext, name?: string): Promise<Handled> {
  const before = new Map((await context.control.servers()).map((server) => [server.name, server.tools]));
  const servers = await context.control.refresh(name);
  const text = servers
    .map((server) => {
      if (!isOpenState(server)) return `${server.name}: ${stateText(server, context)}`;
      const change = server.tools - (before.get(server.name) ?? 0);
      const changed = change === 0 ? "" : ` (${change > 0 ? "+" : ""}${change})`;
      return `${server.name}: ${server.tools} ${server.tools === 1 ? "tool" : "tools"}${changed}`;
    })
    .join("\n");
  return { ok: true, data: { servers }, text: text === "" ? noServers(context) : text };
}
