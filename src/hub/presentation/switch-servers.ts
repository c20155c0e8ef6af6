import { stripVTControlCharacters } from "node:util";
import { countText } from "../../core/text/count-text.ts";
import { visibleText } from "../../core/text/peer-text.ts";
import { unknownServer } from "../../sources/servers/definition.ts";
import type { HubControl } from "../control/verbs.ts";
import type { ConfigEditor } from "./connect.ts";
import { isOpenState, stateText } from "../../sources/servers/server-text.ts";
import { noServers, type PresentationContext, type Presented } from "./presentation.ts";

/** `disconnect <server>`: until the next `connect` or start. The configuration stays as it is. */
export async function runDisconnect({ control, prefix }: PresentationContext, name: string): Promise<Presented> {
  const server = await control.servers.disconnect({ name });
  const text = `Disconnected ${name}. It stays configured: run \`${prefix} connect ${name}\` to reconnect it.`;
  return { ok: true, data: { server }, text };
}

/** `disconnect --remove <server>`: removes it from the configuration. */
export async function handleRemove(
  { control }: PresentationContext,
  editor: Pick<ConfigEditor, "remove">,
  name: string,
): Promise<Presented> {
  await requireServer(control, name);
  const place = await control.configuration.place();
  await editor.remove(place, name);
  await control.configuration.reload();
  return { ok: true, data: { removed: name, path: place.path }, text: `Removed ${name} from ${place.path}.` };
}

/** Faults if there is no server of this name. */
export async function requireServer(control: HubControl, name: string): Promise<void> {
  const names = (await control.servers.list()).map((server) => server.name);
  if (!names.includes(name)) throw unknownServer(name, names);
}

/** `refresh [server]`: fetches the lists again and shows how many tools there are now. */
export async function runRefresh(context: PresentationContext, name?: string): Promise<Presented> {
  const before = new Map((await context.control.servers.list()).map((server) => [server.name, server.tools]));
  const servers = await context.control.servers.refresh({ name });
  const text = servers
    .map((server) => {
      if (!isOpenState(server)) return `${server.name}: ${stateText(server, context)}`;
      const change = server.tools - (before.get(server.name) ?? 0);
      const changed = change === 0 ? "" : ` (${change > 0 ? "+" : ""}${change})`;
      return `${server.name}: ${countText(server.tools, "tool")}${changed}`;
    })
    .join("\n");
  return { ok: true, data: { servers }, text: text === "" ? noServers(context) : text };
}

/** `logs` without a server: the last lines of the hub's own log. */
export async function runHubLogs({ control }: PresentationContext): Promise<Presented> {
  const lines = await control.status.log();
  return { ok: true, data: { lines }, text: lines.length === 0 ? "The hub has logged nothing yet." : lines.join("\n") };
}

/** `logs <server>`: its last output on stderr. A remote server has none. */
export async function runLogs({ control }: PresentationContext, name: string): Promise<Presented> {
  const text = await control.servers.logs({ name });
  const plain = stripVTControlCharacters(text).replaceAll("\r\n", "\n").replaceAll("\t", "    ");
  const shown = visibleText(plain, plain.length).trimEnd();
  return {
    ok: true,
    data: { server: name, text },
    text: shown === "" ? `${name} has written nothing to stderr.` : shown,
  };
}
