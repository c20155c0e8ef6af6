import type { Handled, HandlerContext } from "./handled.ts";

/** `disconnect <server>`: until the next `connect` or start; the configuration stays as it is. */
export async function handleDisconnect({ control, prefix }: HandlerContext, name: string): Promise<Handled> {
  const server = await control.disconnect(name);
  const text = `${name} is disconnected and stays configured. Bring it back with: ${prefix} connect ${name}`;
  return { ok: true, data: { server }, text };
}
