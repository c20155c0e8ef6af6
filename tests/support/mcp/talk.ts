import { parseMessage } from "../../../src/mcp/messages/json-rpc.ts";
import type { McpServer } from "../../../src/mcp/server/mcp-server.ts";
import type { Peer } from "../../../src/mcp/server/peer.ts";
import { initialize, type ModernFacts, modernParams, type Wire } from "./messages.ts";

/** A client that talks to the server core without a transport. */
export interface Talk {
  readonly peer: Peer;
  /** Everything the server sent except answers. */
  readonly sent: Wire[];
  /** Sends any message; resolves to the answer, if there is one. */
  say(message: object): Promise<Wire | undefined>;
  /** A request of the legacy era. */
  ask(method: string, params?: object): Promise<Wire>;
  /** A request of the modern era. */
  modern(method: string, params?: object, facts?: ModernFacts): Promise<Wire>;
  notify(method: string, params?: object): void;
  /** The id of the request sent last. */
  lastId(): number;
}

export interface TalkOptions {
  readonly principal?: string;
  readonly twoWay?: boolean;
}

export function talkTo(server: McpServer, { principal = "anna", twoWay = true }: TalkOptions = {}): Talk {
  const sent: Wire[] = [];
  const keep = (message: object) => void sent.push(JSON.parse(JSON.stringify(message)) as Wire);
  const peer = server.openPeer({ principal, twoWay, ...(twoWay ? { push: keep } : {}) });
  let id = 0;

  async function say(message: object): Promise<Wire | undefined> {
    const answer = await server.handle(parseMessage(JSON.parse(JSON.stringify(message))), peer, { send: keep });
    return answer && (JSON.parse(JSON.stringify(answer)) as Wire);
  }

  return {
    peer,
    sent,
    say,
    ask: async (method, params) => (await say({ jsonrpc: "2.0", id: ++id, method, params })) ?? {},
    modern: async (method, params, facts) =>
      (await say({ jsonrpc: "2.0", id: ++id, method, params: modernParams(params, facts) })) ?? {},
    notify: (method, params) => void say({ jsonrpc: "2.0", method, params }),
    lastId: () => id,
  };
}

/** A client that has completed the handshake. */
export async function negotiate(server: McpServer, version: string, capabilities: object = {}): Promise<Talk> {
  const talk = talkTo(server);
  await talk.ask("initialize", initialize(version, capabilities));
  talk.notify("notifications/initialized");
  return talk;
}
