import { unknownServer } from "../unknown-server.ts";
import type { Handled, HandlerContext } from "./handled.ts";
import type { ConfigEditor } from "./handle-connect.ts";
import type { ServersControl } from "./servers-control.ts";

/** `disconnect <server>`: until the next `connect` or start; the configuration stays as it is. */
export async function handleDisconnect({ control, prefix }: HandlerContext, name: string): Promise<Handled> {
  const server = await control.disconnect(name);
  const text = `${name} is disconnected and stays configured. Bring it back with: ${prefix} connect ${name}`;
  return { ok: true, data: { server }, text };
}

/** `disconnect --remove <server>`: for good, out of the configuration. */
export async function handleRemove(
  { control }: HandlerContext,
  editor: Pick<ConfigEditor, "remove">,
  name: string,
): Promise<Handled> {
  await requireServer(control, name);
  const place = await control.configuration();
  await editor.remove(place, name);
  await control.reload();
  return { ok: true, data: { removed: name, path: place.path }, text: `${name} was taken out of ${place.path}.` };
}

/** Faults where no server is called so. */
export async function requireServer(control: ServersControl, name: string): Promise<void> {
  const names = (await control.servers()).map((server) => server.name);
  if (!names.includes(name)) throw unknownServer(name, names);
}
