import { junk } from "./junk.ts";
import { mutate } from "./mutate.ts";
import type { Random } from "../support/random.ts";
import { asModern, makeRequest, makeUnanswered } from "./requests.ts";
import type { Message } from "./requests.ts";
import { maxMessageBytes } from "./target-offer.ts";

/** One message as bytes, without the line end that stdio needs. */
export interface Frame {
  readonly bytes: Buffer;
  /** The request that this notification cancels. From then on it need not be answered. */
  readonly cancels?: unknown;
  /** A request that is never answered unless it is cancelled. */
  readonly endless?: boolean;
}

/** Too deep for a recursive parser. */
const deepest = 20_000;

const rawIds = [
  "1e400",
  "-1e400",
  "123456789012345678901234567890",
  "1.5e-7",
  "-0",
  "0.1",
  "{}",
  "[1]",
  "true",
  "null",
];

/** The next message, or a request and its cancel. `states` are `requestState` values seen before. */
export function nextFrames(random: Random, id: number, states: readonly unknown[]): readonly Frame[] {
  const kind = random.int(1000);
  if (kind < 400) return [frame(makeRequest(random, anId(random, id)))];
  if (kind < 720) return [frame(mutate(random, makeRequest(random, anId(random, id))))];
  if (kind < 770) return [frame(makeUnanswered(random))];
  if (kind < 820) return [frame(mutate(random, makeUnanswered(random)))];
  if (kind < 860) return [corrupt(random, frame(makeRequest(random, id)))];
  if (kind < 890) return [frame(Array.from({ length: random.int(5) }, (_, n) => makeRequest(random, `${id}.${n}`)))];
  if (kind < 920) return [withRawId(random, makeRequest(random, "RAW"))];
  if (kind < 940) return withCancel(id, frame(makeRequest(random, id)));
  if (kind < 955) return withCancel(id, { ...frame(endless(random, id)), endless: true });
  if (kind < 985) return [frame(returnWithAnswers(random, id, states))];
  if (kind < 998) return [deep(random, id)];
  return random.chance(0.2) ? [huge(random, id)] : [deep(random, id)];
}

/** A request that never ends by itself. */
function endless(random: Random, id: number): Message {
  const request: Message = { jsonrpc: "2.0", id, method: "tools/call", params: { name: "wait", arguments: {} } };
  if (random.chance(0.5)) return request;
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { notifications: { toolsListChanged: true, resourceSubscriptions: ["fuzz://watched"] }, _meta: meta };
  return { jsonrpc: "2.0", id, method: "subscriptions/listen", params };
}

function withCancel(id: number, request: Frame): readonly Frame[] {
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } };
  return [request, { ...frame(cancel), cancels: id }];
}

/** A client that returns with answers, to a call that waits for them or to one that does not exist. */
function returnWithAnswers(random: Random, id: number, states: readonly unknown[]): Message {
  const requestState = states.length > 0 && random.chance(0.7) ? random.pick(states) : junk(random);
  const answers = random.chance(0.7) ? { well: { action: "accept", content: { ok: true } } } : junk(random);
  const params = { name: "ask", arguments: {}, requestState, inputResponses: answers };
  return asModern(random, { jsonrpc: "2.0", id, method: "tools/call", params }, { elicitation: {} });
}

/** The message cut short, with a byte inserted or changed, or with a byte order mark. */
function corrupt(random: Random, { bytes }: Frame): Frame {
  const at = random.int(bytes.length);
  const rest = bytes.subarray(at);
  switch (random.int(4)) {
    case 0:
      return { bytes: bytes.subarray(0, at) };
    case 1:
      return { bytes: Buffer.concat([bytes.subarray(0, at), Buffer.from([0xc0 + random.int(64)]), rest]) };
    case 2:
      return { bytes: Buffer.concat([bytes.subarray(0, at), Buffer.from([11 + random.int(200)]), rest.subarray(1)]) };
    default:
      return { bytes: Buffer.concat([Buffer.from("\ufeff"), bytes]) };
  }
}

/** Ids that no JavaScript value can represent, or that are not valid ids. */
function withRawId(random: Random, message: Message): Frame {
  return { bytes: Buffer.from(JSON.stringify(message).replace('"RAW"', random.pick(rawIds))) };
}

function deep(random: Random, id: number): Frame {
  const levels = 10 ** (1 + random.int(4)) + random.int(deepest / 2);
  const [open, close] = random.pick([
    ["[", "]"],
    ['{"nested":', "}"],
  ]);
  const value = `${open.repeat(levels)}0${close.repeat(random.chance(0.9) ? levels : levels - 1)}`;
  if (random.chance(0.2)) return { bytes: Buffer.from(value) };
  const name = random.pick(["echo", "strict", "fail"]);
  return {
    bytes: Buffer.from(
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":{"nested":${value}}}}`,
    ),
  };
}

function huge(random: Random, id: number): Frame {
  const text = "x".repeat(maxMessageBytes - 2000 + random.int(4000));
  return frame({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "echo", arguments: { text } } });
}

function anId(random: Random, id: number): unknown {
  if (random.chance(0.9)) return id;
  return random.chance(0.5) ? `id-${random.int(20)}` : junk(random, 1);
}

function frame(value: unknown): Frame {
  return { bytes: Buffer.from(JSON.stringify(value) ?? "") };
}
