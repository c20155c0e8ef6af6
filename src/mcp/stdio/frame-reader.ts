import type { JsonSpiller } from "../../core/json-bytes.ts";
import { maxAtOnce } from "../../core/slices/in-slices.ts";

const newline = 10;

export interface FrameListener {
  /** With a spiller, the frame has placeholders for what is on disk, and the listener must dispose of the spiller. */
  onFrame(frame: Buffer, spiller: JsonSpiller | undefined): void;
  /** Gets a frame that is too large to be handled at once, in parts, instead of `onFrame`. */
  onLargeFrame?(parts: readonly Buffer[]): void;
  /** A frame is too large (no cause), its spiller failed, or `onFrame` threw. Called once per frame; the rest is skipped. */
  onRefused(cause: unknown): void;
}

/** Splits a stream of bytes into lines, never holding more than `maxBytes` of one. */
export function createFrameReader(
  maxBytes: number,
  { onFrame, onLargeFrame, onRefused }: FrameListener,
  openSpiller?: () => JsonSpiller,
): { push(chunk: Buffer): void } {
  let parts: Buffer[] = [];
  let spiller: JsonSpiller | undefined;
  let size = 0;
  let skipping = false;

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        take(chunk.subarray(start, end));
        endFrame();
        start = end + 1;
      }
      if (start < chunk.length) take(chunk.subarray(start));
    },
  };

  function take(part: Buffer): void {
    if (skipping || part.length === 0) return;
    size += part.length;
    if (size > maxBytes) return refuse(undefined);
    if (!openSpiller) {
      parts.push(part);
      return;
    }
    try {
      (spiller ??= openSpiller()).push(part);
    } catch (error) {
      refuse(error);
    }
  }

  function refuse(cause: unknown): void {
    skipping = true;
    parts = [];
    spiller?.dispose();
    spiller = undefined;
    onRefused(cause);
  }

  function endFrame(): void {
    const done = { parts, spiller, size, skipping };
    parts = [];
    spiller = undefined;
    size = 0;
    skipping = false;
    if (done.skipping) return;
    try {
      if (onLargeFrame && done.size > maxAtOnce) return onLargeFrame(done.parts);
      const whole = done.parts.length === 1 ? done.parts[0]! : Buffer.concat(done.parts);
      const frame = done.spiller ? done.spiller.end().json : whole;
      if (!isBlank(frame)) return onFrame(frame, done.spiller);
    } catch (error) {
      onRefused(error);
    }
    done.spiller?.dispose();
  }
}

/** An empty line, or one of a few spaces or a carriage return, is not a message. */
function isBlank(frame: Buffer): boolean {
  return frame.length === 0 || (frame.length <= maxBlank && frame.toString("latin1").trim() === "");
}

const maxBlank = 32;
