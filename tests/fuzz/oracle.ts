import { isRecord } from "../../src/core/is-record.ts";
import { judgeRequest } from "./request-oracle.ts";
import type { PeerFacts } from "./request-oracle.ts";

/** What an answer may be: a result, or an error with this code. */
export type Outcome = "result" | number;

export type Id = string | number | null;

/** One answer that must come, or may come, for what was sent. */
export interface Expected {
  readonly id: Id;
  readonly outcomes: ReadonlySet<Outcome>;
  /** Whether no answer is correct as well. */
  maybe: boolean;
}

const maxIdLength = 1024;
const maxInBatch = 100;

/**
 * The correct answers to these bytes, derived from the specifications alone: nothing of the server is imported here. If
 * they leave a choice, every choice is allowed. If a message has several defects, any of them may be reported.
 */
export function expectAnswers(bytes: Uint8Array, peer: PeerFacts): readonly Expected[] {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return [answer(null, [-32700])];
  }
  if (!Array.isArray(value)) return expectOne(value, peer, false);
  const hasBatches = peer.version === undefined || peer.version < "2025-06-18";
  if (!hasBatches || value.length === 0 || value.length > maxInBatch) return [answer(null, [-32600])];
  return value.flatMap((each) => expectOne(each, peer, true));
}

function expectOne(value: unknown, peer: PeerFacts, inBatch: boolean): readonly Expected[] {
  if (!isRecord(value)) return [answer(null, [-32600])];
  const id = isId(value.id) ? value.id : null;
  const isResponse = !("method" in value) && "id" in value && ("result" in value || "error" in value);
  // Next to a result, null is not an error.
  const hasError = "error" in value && !(value.error === null && "result" in value);
  const defects: Outcome[] = [];
  if (value.jsonrpc !== "2.0") defects.push(-32600);
  if ("id" in value && id === null && !(value.id === null && hasError)) defects.push(-32600);
  if ("method" in value ? typeof value.method !== "string" : !isResponse) defects.push(-32600);
  const isInvalid = defects.length > 0;
  if ("method" in value && value.params !== undefined && !isRecord(value.params)) defects.push(-32602, -32600);
  // A notification is never answered, but a malformed one may be.
  if (defects.length > 0) return [answer(id, defects, !isInvalid && !("id" in value))];
  if (!("id" in value) || isResponse) return [];
  const params = isRecord(value.params) ? value.params : {};
  return [{ id, outcomes: judgeRequest(String(value.method), params, peer, inBatch), maybe: false }];
}

/** One beyond a double is a number, too: it comes back as it was sent. */
function isId(id: unknown): id is string | number {
  return typeof id === "string" ? id.length <= maxIdLength : typeof id === "number";
}

function answer(id: Id, outcomes: readonly Outcome[], maybe = false): Expected {
  return { id, outcomes: new Set(outcomes), maybe };
}
