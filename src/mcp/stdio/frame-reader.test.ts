import { describe, expect, test } from "vitest";
import { createFrameReader } from "./frame-reader.ts";

/** What comes of these pieces: the frames as texts, `null` for each that was refused. */
function read(maxBytes: number, pieces: readonly (string | Buffer)[]): (string | null)[] {
  const found: (string | null)[] = [];
  const reader = createFrameReader(maxBytes, {
    onFrame: (frame) => found.push(frame.toString()),
    onRefused: () => found.push(null),
  });
  for (const piece of pieces) reader.push(Buffer.from(piece));
  return found;
}

describe("frames", () => {
  test("are lines, however they are cut", () => {
    const text = 'one\n{"two":2}\r\n\n\r\n \t\r\nthree\nünf\nrest';
    const expected = ["one", '{"two":2}\r', "three", "ünf"];
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size++) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      );
      expect(read(100, pieces)).toEqual(expected);
    }
  });

  test("may be as long as the limit, and no longer", () => {
    expect(read(5, ["12345\n123456\n1234\n"])).toEqual(["12345", null, "1234"]);
  });

  test("that are too long are refused once, as soon as that is known, and skipped to their end", () => {
    expect(read(5, ["123", "456"])).toEqual([null]);
    expect(read(5, ["123", "456", "789", "0\nnext\n"])).toEqual([null, "next"]);
    expect(read(5, ["123456\n", "1234567\n", "a\n"])).toEqual([null, null, "a"]);
  });
});
