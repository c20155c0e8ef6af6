/** The last bytes of a program's output. */
export interface Tail {
  push(chunk: Buffer): void;
  /** How many bytes were pushed so far. */
  pushed(): number;
  /** What is kept of what was pushed after so many bytes. */
  text(after?: number): string;
}

/**
 * `toText` makes the text safe to show; `isCut` says that the beginning of the output is missing. It sees all that is
 * kept at once, since a secret may come in several chunks.
 */
export function createTail(maxBytes: number, toText?: (text: string, isCut: boolean) => string): Tail {
  let chunks: Buffer[] = [];
  let size = 0;
  let pushed = 0;
  let isCut = false;
  return {
    push(chunk) {
      pushed += chunk.length;
      if (chunk.length > maxBytes) isCut = true;
      chunks.push(chunk.length > maxBytes ? chunk.subarray(-maxBytes) : chunk);
      size += chunk.length;
      // At twice the limit, so that copying is rare.
      if (size > 2 * maxBytes) shorten();
    },
    pushed: () => pushed,
    text(after = 0) {
      shorten();
      const wanted = pushed - after;
      const isPart = wanted < size;
      const kept = Buffer.concat(chunks);
      const text = (isPart ? kept.subarray(size - wanted) : kept).toString("utf8");
      return toText === undefined ? text : toText(text, isCut && !isPart);
    },
  };

  function shorten(): void {
    const whole = Buffer.concat(chunks);
    if (whole.length > maxBytes) isCut = true;
    // Copied, since a slice would keep the whole buffer in memory.
    chunks = [Buffer.from(whole.subarray(-maxBytes))];
    size = chunks[0]!.length;
  }
}
