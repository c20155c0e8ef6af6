import { parseJson } from "../../core/json.ts";
import { type JsonRpcId, type JsonRpcRequest, readId } from "../messages/json-rpc.ts";

/** A request that a client waits for on a stream. */
export type AwaitedRequest = Pick<JsonRpcRequest, "id" | "method">;

/** Event ids travel with every event, so they must stay short. */
const longest = 200;
const tooLong = "~";

/**
 * The requests that a stream answers, as a part of its event ids: a client that comes back after this process has
 * forgotten them, or has been replaced by another, brings them along. Empty for a stream that answers none.
 */
export function writeAwaited(requests: readonly AwaitedRequest[]): string {
  if (requests.length === 0) return "";
  const text = JSON.stringify(requests.map(({ id, method }) => [id, method === "tools/call" ? 1 : 0]));
  return text.length > longest ? tooLong : Buffer.from(text).toString("base64url");
}

export interface LostRequest {
  readonly id: JsonRpcId;
  readonly isToolCall: boolean;
}

/** What an event id says about the requests of its stream. Undefined if it says nothing. */
export function readAwaited(lastEventId: string): readonly LostRequest[] | undefined {
  const text = /^[a-z0-9]{1,40}\.([A-Za-z0-9_-]*)-\d{1,15}$/.exec(lastEventId)?.[1];
  if (text === undefined || text.length > 2 * longest) return undefined;
  if (text === "") return [];
  try {
    const found = parseJson(Buffer.from(text, "base64url").toString());
    const isGood = Array.isArray(found) && found.length > 0 && found.every(isEntry);
    return isGood ? found.map(([id, isToolCall]) => ({ id, isToolCall: isToolCall === 1 })) : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is [JsonRpcId, unknown] {
  return Array.isArray(value) && readId(value[0]) !== undefined;
}
