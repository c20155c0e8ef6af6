/** The last of what somebody said, bounded in bytes. */
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
      // Twice the bound, so that the copying is rare.
      if (size > 2 * maxBytes) shorten();
    },
    text() {
      shorten();
      return Buffer.concat(chunks).toString("utf8");
    },
  };

  function shorten(): void {
    const whole = Buffer.concat(chunks);
    // Copied, since a slice would keep all of what it was cut from.
    chunks = [Buffer.from(whole.subarray(-maxBytes))];
    size = chunks[0]!.length;
  }
}
