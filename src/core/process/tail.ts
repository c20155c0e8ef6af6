/** The last bytes of a program's output. */
export interface Tail {
  push(chunk: Buffer): void;
  text(): string;
}

export function createTail(maxBytes: number): Tail {
  let chunks: Buffer[] = [];
  let size = 0;
  return {
    push(chunk) {
      chunks.push(chunk.length > maxBytes ? chunk.subarray(-maxBytes) : chunk);
      size += chunk.length;
      // At twice the limit, so that copying is rare.
      if (size > 2 * maxBytes) shorten();
    },
    text() {
      shorten();
      return Buffer.concat(chunks).toString("utf8");
    },
  };

  function shorten(): void {
    const whole = Buffer.concat(chunks);
    // Copied, since a slice would keep the whole buffer in memory.
    chunks = [Buffer.from(whole.subarray(-maxBytes))];
    size = chunks[0]!.length;
  }
}
