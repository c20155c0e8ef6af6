import { Fault } from "../../core/fault.ts";
import { parseJson } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { atOnce, type SlicedWork } from "../../core/slices/in-slices.ts";
import { parseJsonInSlices } from "../../core/slices/parse-json.ts";
import { type JsonRpcId, type JsonRpcMessage, parseMessage } from "../messages/json-rpc.ts";
import { hasTooManyValues, maxValues } from "../messages/count-values.ts";
import { findResponseId, parseLargeResponse, parseLargeResponseInSlices } from "../messages/result-text.ts";

/** Told of a response that is not read, and which request it answers. */
export type OnRefused = (id: JsonRpcId, fault: Fault) => void;

/**
 * The messages in a text. Servers of 2025-03-26 may send several in an array. Invalid ones are logged and skipped. A
 * text with too many values is not read: throws if neither it nor the transport says which request it answers.
 */
export function readMessages(text: string, log: Log, onRefused: OnRefused, relatedTo?: JsonRpcId): JsonRpcMessage[] {
  if (text.length > maxValues && atOnce(hasTooManyValues(text))) return refuse(text, log, onRefused, relatedTo);
  const response = parseLargeResponse(text);
  if (response) return [response];
  if (text.trim() === "") return [];
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return skip(text, log);
  }
  return readValue(value, log);
}

/** The same for a text that is too long to be read at once. */
export function* readMessagesInSlices(
  text: string,
  log: Log,
  onRefused: OnRefused,
  relatedTo?: JsonRpcId,
): SlicedWork<JsonRpcMessage[]> {
  if (yield* hasTooManyValues(text)) return refuse(text, log, onRefused, relatedTo);
  const response = yield* parseLargeResponseInSlices(text);
  if (response) return [response];
  let value: unknown;
  try {
    value = yield* parseJsonInSlices(text);
  } catch {
    return skip(text, log);
  }
  return readValue(value, log);
}

function refuse(text: string, log: Log, onRefused: OnRefused, relatedTo: JsonRpcId | undefined): JsonRpcMessage[] {
  const fault = tooManyValues();
  const id = findResponseId(text) ?? relatedTo;
  log.warn("a message from the server was refused", { error: fault });
  if (id === undefined) throw fault;
  onRefused(ownId(id), fault);
  return [];
}

function skip(text: string, log: Log): JsonRpcMessage[] {
  log.warn("skipped a message that is not valid JSON", { chars: text.length });
  return [];
}

function readValue(value: unknown, log: Log): JsonRpcMessage[] {
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
  if ("method" in message || typeof message.id !== "string") return message;
  return { ...message, id: ownId(message.id) };
}

function ownId(id: JsonRpcId): JsonRpcId {
  return typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : id;
}

function tooManyValues(): Fault {
  return new Fault(
    "too-large",
    `The server's answer was not read: it has more than ${maxValues.toLocaleString("en")} values.`,
  );
}

export function isAnswerTo(message: JsonRpcMessage, id: JsonRpcId | undefined): boolean {
  if (id === undefined || "method" in message) return false;
  return message.id === id || (message.id === null && "error" in message);
}
