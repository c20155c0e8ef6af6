import { type JsonRpcMessage, parseMessage } from "./json-rpc.ts";
import type { Peer } from "./peer.ts";
import type { McpServer } from "./server.ts";

/**
 * The server as a plain function: one message in, every message it leads to out, the answer last. For doors that have no
 * way to send anything in between; a question to the client has no way back here, so open the peer with `twoWay: false`.
 */
export async function answerMessage(
  server: McpServer,
  peer: Peer,
  message: unknown,
): Promise<readonly JsonRpcMessage[]> {
  const messages: JsonRpcMessage[] = [];
  const answer = await server.handle(parseMessage(message), peer, { send: (sent) => void messages.push(sent) });
  return answer ? [...messages, answer] : messages;
}
