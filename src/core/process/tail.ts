/** The last bytes of a program's output. */
export interface Tail {
  push(chunk: Buffer): void;
  text(): string;
}

/**
 * `toText` makes the text safe to show; `isCut` says that the beginning of the output is missing. It sees all that is
 * kept at once, since a secret may come in several chunks.
 */
export function createTail(maxBytes: number, toText?: (text: string, isCut: boolean) => string): Tail {
  let chunks: Buffer[] = [];
  let size = 0;
  let isCut = false;
  return {
    push(chunk) {
      if (chunk.length > maxBytes) isCut = true;
      chunks.push(chunk.length > maxBytes ? chunk.subarray(-maxBytes) : chunk);
      size += chunk.length;
      // At twice the limit, so that copying is rare.
      if (size > 2 * maxBytes) shorten();
    },
    text() {
      shorten();
      const text = Buffer.concat(chunks).toString("utf8");
      return toText === undefined ? text : toText(text, isCut);
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
