import type { Writable } from "node:stream";
import { prepareToSend } from "../../core/http/turn-end.ts";
import { encodeMessage, type JsonRpcMessage, type JsonRpcResponse } from "../messages/json-rpc.ts";

export interface LineWriter {
  write(message: JsonRpcMessage | readonly JsonRpcResponse[]): void;
  /** Whether so much output waits for the client that nothing more should be read from it. */
  isFull(): boolean;
  /** Resolves when all is written, or after the time: a client that does not read must not block the exit. */
  flushed(withinMs: number): Promise<void>;
}

/** How much unread output a client may leave before nothing more is read from it. */
const maxBufferedBytes = 16 * 1024 * 1024;

/** A large piece is written at once: collecting it would only use memory. */
const maxCollectedChars = 256 * 1024;

/** Writes messages as lines; those of one turn of the event loop go out in one piece. */
export function createLineWriter(output: Writable, onFullChange: () => void): LineWriter {
  let lines = "";
  let isScheduled = false;
  let isFull = false;
  output.on("drain", () => setFull(false));

  return {
    write(message) {
      lines += `${encodeMessage(message)}\n`;
      if (lines.length > maxCollectedChars) return flush();
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(flush);
    },
    isFull: () => isFull,
    flushed(withinMs) {
      flush();
      return new Promise((resolve) => {
        if (output.destroyed) return resolve();
        const timer = setTimeout(resolve, withinMs);
        output.write("", () => (clearTimeout(timer), resolve()));
      });
    },
  };

  function flush(): void {
    isScheduled = false;
    const text = lines;
    lines = "";
    prepareToSend();
    if (text !== "" && !output.destroyed) output.write(text);
    if (!isFull && output.writableLength > maxBufferedBytes) setFull(true);
  }

  function setFull(full: boolean): void {
    isFull = full;
    onFullChange();
  }
}
