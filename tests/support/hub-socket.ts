import { join } from "node:path";
import { readText, sendHttp } from "../../src/core/http/send-http.ts";
import { createSocketAgent } from "../../src/core/http/socket-agent.ts";
import type { HubKeyName } from "../../src/doors/mcp/gate.ts";
import { findHub, type RunningHub } from "../../src/hub/state/find-hub.ts";
import { createRemoteControl, type RemoteControl } from "../../src/hub/control/remote-control.ts";

/** The hub that runs on a state folder, as its owner's commands find it. */
export async function hubAt(home: string, key: HubKeyName = "control"): Promise<RunningHub> {
  const hub = await findHub({ path: home, file: (...parts) => join(home, ...parts) }, key);
  if (hub === undefined) throw new Error(`no hub runs on ${home}`);
  return hub;
}

/** What the owner's commands can ask of it. */
export async function controlAt(home: string): Promise<RemoteControl> {
  return createRemoteControl(await hubAt(home));
}

export interface SocketAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends JSON to a path at the socket of a hub, with a key or a token. */
export async function postAtSocket(
  home: string,
  path: string,
  body: unknown,
  presented?: string,
): Promise<SocketAnswer> {
  const { address, socket, key } = await hubAt(home);
  const agent = createSocketAgent(socket);
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(presented !== "" && { authorization: `Bearer ${presented ?? key.reveal()}` }),
  };
  try {
    const url = new URL(path, address);
    const response = await sendHttp({ url, method: "POST", headers, body: JSON.stringify(body), agent });
    return { status: response.statusCode ?? 0, text: await readText(response, 64 * 1024 * 1024) };
  } finally {
    agent.destroy();
  }
}
