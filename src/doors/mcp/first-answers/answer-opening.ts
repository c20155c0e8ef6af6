import type { Readable } from "node:stream";
import { parseJson } from "../../../core/json.ts";
import type { Env } from "../../../core/process/child-env.ts";
import {
  isRequest,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  parseMessage,
} from "../../../mcp/messages/json-rpc.ts";
import type { AnsweredMessage } from "../../../mcp/stdio/serve-stdio.ts";
import { type Opening, type OpeningKey, readOpenings } from "./opening-file.ts";

export interface AnsweredOpening {
  readonly messages: readonly AnsweredMessage[];
  /** The client is gone already. */
  readonly hasEnded: boolean;
}

export interface OpeningStreams {
  readonly input: Readable;
  readonly output: { write(text: string): unknown };
}

/** How long the first message, and each further one, is waited for. A client that takes longer is in no hurry. */
const firstMs = 50;
const nextMs = 200;
const maxLineLength = 256 * 1024;

/**
 * Answers a client at once as long as it begins as it did before. Returns when it says something else, or nothing more;
 * that is left in the input. Nothing is answered but lists, so nothing is done here that a guard would have to judge.
 */
export async function answerOpening(key: OpeningKey, env: Env, streams: OpeningStreams): Promise<AnsweredOpening> {
  const openings = await readOpenings(key, env);
  return openings.length === 0 ? { messages: [], hasEnded: false } : answerAs(openings, streams);
}

function answerAs(openings: readonly Opening[], { input, output }: OpeningStreams): Promise<AnsweredOpening> {
  return new Promise((resolve) => {
    let candidates = openings;
    let rest: Buffer = Buffer.alloc(0);
    const messages: AnsweredMessage[] = [];
    let timer = setTimeout(stop, firstMs);
    input.on("data", read);
    input.once("end", end);
    input.once("error", end);

    function read(chunk: Buffer): void {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let lineEnd = rest.indexOf(10); lineEnd >= 0; lineEnd = rest.indexOf(10)) {
        if (!answer(rest.subarray(0, lineEnd))) return stop();
        rest = rest.subarray(lineEnd + 1);
      }
      if (rest.length > maxLineLength) return stop();
      if (candidates.every((opening) => opening.length === messages.length)) return stop();
      clearTimeout(timer);
      timer = setTimeout(stop, nextMs);
    }

    /** Returns whether the message is the next one of an opening. */
    function answer(line: Buffer): boolean {
      const message = line.length > maxLineLength ? undefined : tryParse(line.toString());
      if (message === undefined || !("method" in message)) return false;
      const text = openingText(message);
      const at = messages.length;
      const matching = candidates.filter((opening) => opening[at]?.text === text);
      const found = matching[0]?.[at];
      if (found === undefined || (found.answer === undefined) === isRequest(message)) return false;
      candidates = matching;
      if (isRequest(message))
        output.write(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${found.answer}}\n`);
      messages.push({ message, answer: found.answer });
      return true;
    }

    function stop(): void {
      release();
      input.pause();
      if (rest.length > 0) input.unshift(rest);
      resolve({ messages, hasEnded: false });
    }

    function end(): void {
      release();
      resolve({ messages, hasEnded: true });
    }

    function release(): void {
      clearTimeout(timer);
      input.off("data", read);
      input.off("end", end);
      input.off("error", end);
    }
  });
}

function tryParse(line: string): JsonRpcMessage | undefined {
  try {
    return parseMessage(parseJson(line));
  } catch {
    return undefined;
  }
}

/** What is compared: the id of a message may differ each time. */
export function openingText(message: JsonRpcRequest | JsonRpcNotification): string {
  return JSON.stringify([message.method, message.params ?? {}]);
}
