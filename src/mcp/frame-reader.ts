const newline = 10;

export interface FrameListener {
  onFrame(frame: Buffer): void;
  /** A frame grew past the limit; the rest of it is skipped. Called once per such frame. */
  onTooLarge(): void;
}

/** Cuts a stream of bytes into lines, never holding more than `maxBytes` of one. */
export function createFrameReader(
  maxBytes: number,
  { onFrame, onTooLarge }: FrameListener,
): { push(chunk: Buffer): void } {
  let parts: Buffer[] = [];
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
    if (size > maxBytes) {
      skipping = true;
      parts = [];
      onTooLarge();
    } else parts.push(part);
  }

  function endFrame(): void {
    const frame = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    const complete = !skipping;
    parts = [];
    size = 0;
    skipping = false;
    if (complete && !isBlank(frame)) onFrame(frame);
  }
}

/** An empty line, or one that came with a carriage return, is no message. */
function isBlank(frame: Buffer): boolean {
  return frame.length === 0 || (frame.length === 1 && frame[0] === 13);
}
