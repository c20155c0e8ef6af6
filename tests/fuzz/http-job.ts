import { Fault } from "../../src/core/fault.ts";
import type { Frame } from "./frames.ts";
import { chooseHeaders } from "./http-headers.ts";
import { createLedger, shown } from "./ledger.ts";
import { expectAnswers } from "./oracle.ts";
import type { Expected } from "./oracle.ts";
import type { Random } from "../support/random.ts";
import { maxMessageBytes } from "./target-offer.ts";

/** One POST with all random choices made beforehand, so that the order of the answers changes nothing. */
export interface HttpJob {
  readonly frame: Frame;
  readonly headers: Readonly<Record<string, string>>;
  readonly inSession: boolean;
  /** Where the body is split in two, if at all. */
  readonly cutAt: number | undefined;
  /** When the client disconnects from a request that never ends. */
  readonly leaveAfterMs: number;
  readonly expected: readonly Expected[];
}

export const sessionVersion = "2025-03-26";

export function prepareJob(random: Random, frame: Frame): HttpJob {
  const { bytes } = frame;
  const { headers, isMismatched } = chooseHeaders(random, valueOf(bytes));
  const inSession = headers["mcp-protocol-version"] === undefined && random.chance(0.5);
  return {
    frame,
    headers: inSession ? {} : headers,
    inSession,
    cutAt: random.chance(0.3) ? random.int(bytes.length + 1) : undefined,
    leaveAfterMs: random.int(10),
    expected: expectationsOf(bytes, inSession, isMismatched),
  };
}

/** Faults if the response to a job is wrong. */
export function checkResponse({ frame: { bytes }, expected, headers }: HttpJob, status: number, body: string): void {
  const ledger = createLedger();
  try {
    for (const each of expected) ledger.expect(each, bytes);
    const answers = answersIn(body);
    for (const answer of answers) ledger.settle(answer);
    if (ledger.owed > 0) throw new Fault("corrupt", `${ledger.owed} answers are missing for ${shown(bytes)}`);
    const allowed = answers.length === 0 ? [202] : bytes.length > maxMessageBytes ? [413] : [200, 400, 404];
    if (!allowed.includes(status)) throw new Fault("corrupt", `The status does not fit ${shown(bytes)}`);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Fault("corrupt", `${message} [HTTP ${status}, sent with ${JSON.stringify(headers)}]`, { cause });
  }
}

function expectationsOf(bytes: Buffer, inSession: boolean, isMismatched: boolean): readonly Expected[] {
  if (bytes.length > maxMessageBytes) return [{ id: null, outcomes: new Set([-32600]), maybe: false }];
  const peer = { version: inSession ? sessionVersion : undefined, states: new Set() };
  const expected = expectAnswers(bytes, peer);
  if (!isMismatched) return expected;
  return expected.map((each) => ({
    ...each,
    outcomes: new Set([...each.outcomes, -32020].filter((one) => one !== "result")),
  }));
}

/** The answers in a body: one message, a batch, or an event stream that also has notifications. */
function answersIn(body: string): readonly unknown[] {
  if (body === "") return [];
  const texts = body.startsWith("{") || body.startsWith("[") ? [body] : eventData(body);
  return texts
    .flatMap((each): unknown => JSON.parse(each))
    .filter((message) => !(typeof message === "object" && message !== null && "method" in message));
}

function eventData(stream: string): readonly string[] {
  return stream
    .split("\n")
    .filter((each) => each.startsWith("data: ") && each.length > 6)
    .map((each) => each.slice(6));
}

function valueOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
