import type { Readable, Writable } from "node:stream";
import { Fault } from "../../src/core/fault.ts";
import { nextFrames } from "./frames.ts";
import type { Frame } from "./frames.ts";
import { isRecord } from "../../src/core/is-record.ts";
import { junk } from "./junk.ts";
import { createLedger, shown } from "./ledger.ts";
import { expectAnswers } from "./oracle.ts";
import type { Expected } from "./oracle.ts";
import type { Random } from "../support/random.ts";
import type { PeerFacts } from "./request-oracle.ts";
import { maxMessageBytes } from "./target-offer.ts";

/** Sends rounds of messages and checks the answers. */
export interface Driver {
  round(messages: number): Promise<void>;
}

const patienceMs = 30_000;
const carriageReturn = Buffer.from("\r");

/** Sends to the target as one client over a pair of streams: whole lines, pieces of lines and many lines at once. */
export function createStdioDriver(input: Writable, output: Readable, random: Random, replies: Random): Driver {
  const ledger = createLedger();
  const states = new Set<unknown>();
  const peer: PeerFacts = { version: undefined, states };
  let recent: unknown[] = [];
  let nextId = 1;
  let owedReplies: string[] | undefined;
  let failure: Error | undefined;

  // Not `readline`, which treats U+2028 as a line end, although JSON may contain it unescaped.
  let rest = "";
  output.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) receiveLine(line);
  });

  return {
    async round(messages) {
      const frames: Frame[] = [];
      while (frames.length < messages) frames.push(...nextFrames(random, nextId++, recent));
      const pieces = frames.map((frame) => expectAndFrame(frame));
      owedReplies = [];
      await writeInPieces(Buffer.concat(pieces));
      for (const reply of owedReplies) input.write(reply);
      owedReplies = undefined;
      await ledger.quiet(patienceMs).catch((error: Error) => {
        failure ??= error;
      });
      if (failure !== undefined) throw failure;
      ledger.closeRound();
      recent = [...states].slice(-20);
    },
  };

  function expectAndFrame({ bytes, cancels }: Frame): Buffer {
    const framed = random.chance(0.1) ? Buffer.concat([bytes, carriageReturn]) : bytes;
    for (const expected of expectationsOf(framed)) ledger.expect(expected, bytes);
    if (cancels !== undefined) ledger.excuse(cancels);
    return Buffer.concat([framed, Buffer.from(random.chance(0.01) ? "\n\r\n" : "\n")]);
  }

  function expectationsOf(framed: Buffer): readonly Expected[] {
    if (framed.length === 0 || framed.equals(carriageReturn)) return [];
    if (framed.length > maxMessageBytes) return [{ id: null, outcomes: new Set([-32600]), maybe: false }];
    return expectAnswers(framed, peer);
  }

  async function writeInPieces(bytes: Buffer): Promise<void> {
    let at = 0;
    while (at < bytes.length) {
      const size = random.chance(0.5) ? 1 + random.int(200) : 1 + random.int(65_536);
      const piece = bytes.subarray(at, at + size);
      at += size;
      if (!input.write(piece)) await new Promise((resolve) => input.once("drain", resolve));
      // Let a piece leave on its own now and then, so that a frame really arrives in two.
      else if (random.chance(0.05)) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  function receiveLine(line: string): void {
    try {
      receive(JSON.parse(line));
    } catch (error) {
      failure ??= error instanceof Fault ? error : new Fault("corrupt", `Not a line of JSON: ${shown(line)}`);
    }
  }

  function receive(message: unknown): void {
    if (Array.isArray(message)) {
      for (const each of message) receive(each);
    } else if (isRecord(message) && "method" in message) {
      if ("id" in message) reply(message.id);
    } else {
      ledger.settle(message);
      const result = isRecord(message) ? message.result : undefined;
      if (isRecord(result) && result.requestState !== undefined) states.add(result.requestState);
    }
  }

  /** Answers a question of the server: correctly, badly or with an error, sometimes after an answer with a wrong id. */
  function reply(id: unknown): void {
    const stray = replies.chance(0.2) ? line({ id: "nobody", result: {} }) : "";
    const kind = replies.int(3);
    const good = { id, result: { action: "accept", content: { ok: true } } };
    const answer = kind === 0 ? good : kind === 1 ? { id, result: junk(replies) } : { id, error: junk(replies) };
    const text = stray + line(answer);
    if (owedReplies) owedReplies.push(text);
    else input.write(text);
  }
}

function line(message: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}
