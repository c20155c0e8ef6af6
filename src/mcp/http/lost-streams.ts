import type { ServerResponse } from "node:http";
import { encodeMessage, failure, type JsonRpcResponse, notification, rpcErrorOf } from "../messages/json-rpc.ts";
import { errorResult } from "../messages/tool.ts";
import { type McpServer, stoppedFault } from "../server/mcp-server.ts";
import { type LostRequest, readAwaited } from "./awaited-requests.ts";
import { openEventStream } from "./event-stream.ts";
import type { HttpSession } from "./http-sessions.ts";

/**
 * Serves a client that comes back to a stream that is gone, as after a restart of this process. Returns false if the
 * event id does not say what the client waits for.
 */
export function resumeLostStream(
  session: HttpSession,
  response: ServerResponse,
  lastEventId: string,
  server: McpServer,
): boolean {
  const lost = readAwaited(lastEventId);
  if (lost === undefined) return false;
  if (lost.length > 0) answerLost(response, lost);
  else resumeStandalone(session, response, server);
  return true;
}

/** Without an answer the client would wait for ever. */
function answerLost(response: ServerResponse, lost: readonly LostRequest[]): void {
  const fault = stoppedFault("The connection to this call was lost.");
  const stream = openEventStream(response);
  for (const { id, isToolCall } of lost) {
    const answer: JsonRpcResponse = isToolCall
      ? { jsonrpc: "2.0", id, result: errorResult(fault.message) }
      : failure(id, rpcErrorOf(fault, "legacy"));
    stream.write(encodeMessage(answer));
  }
  stream.end();
}

/** What was sent in the meantime is gone, so the client should look at the lists again. */
function resumeStandalone(session: HttpSession, response: ServerResponse, { offer }: McpServer): void {
  session.standalone ??= session.openStream();
  session.standalone.attach(response, undefined, {});
  if (!offer.onChange) return;
  for (const kind of ["tools", "resources", "prompts"] as const)
    if (offer[kind]) session.standalone.send(notification(`notifications/${kind}/list_changed`));
}
