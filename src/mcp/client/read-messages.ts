import { parseJson } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { type JsonRpcId, type JsonRpcMessage, parseMessage } from "../messages/json-rpc.ts";
import { parseLargeResponse } from "../messages/result-text.ts";

/** The messages in a text. Servers of 2025-03-26 may send several in an array. Invalid ones are logged and skipped. */
export function readMessages(text: string, log: Log): JsonRpcMessage[] {
  const response = parseLargeResponse(text);
  if (response) return [response];
  if (text.trim() === "") return [];
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    log.warn("skipped a message that is not valid JSON", { chars: text.length });
    return [];
  }
  return Array.isArray(value) ? value.flatMap((each) => readMessage(each, log)) : readMessage(value, log);
}

function readMessage(value: unknown, log: Log): JsonRpcMessage[] {
  try {
    return [withOwnId(parseMessage(value))];
  } catch (error) {
    log.warn("skipped an invalid message", { error });
    return [];
  }
}

/** All ids of our requests are numbers. Some servers answer with a string, which other clients accept. */
function withOwnId(message: JsonRpcMessage): JsonRpcMessage {
  if ("method" in message || typeof message.id !== "string" || !/^\d{1,15}$/.test(message.id)) return message;
  return { ...message, id: Number(message.id) };
}

export function isAnswerTo(message: JsonRpcMessage, id: JsonRpcId | undefined): boolean {
  if (id === undefined || "method" in message) return false;
  return message.id === id || (message.id === null && "error" in message);
}
