import { expect, test } from "vitest";
import { createTail } from "../process/tail.ts";
import { createOutputRedactor } from "./redact-output.ts";

const secret = "correct-horse-battery";

/** What is shown of output that comes in these chunks. */
function shown(chunks: readonly string[], maxBytes = 1000): string {
  const tail = createTail(maxBytes, createOutputRedactor([secret]));
  for (const chunk of chunks) tail.push(Buffer.from(chunk));
  return tail.text();
}

test.each(Array.from({ length: secret.length - 1 }, (_, index) => index + 1))(
  "a secret is masked if it comes in two writes, cut after %d characters, or on two lines",
  (length) => {
    const [first, second] = [secret.slice(0, length), secret.slice(length)];
    expect(shown([`a ${first}`, `${second} b\n`])).toBe("a [redacted] b\n");
    expect(shown([`a ${first}\n`, `${second} b\n`])).toBe("a [redacted] b\n");
  },
);

test("half a secret is not shown while the rest of it is still to come", () => {
  expect(shown(["a ", secret.slice(0, 12)])).toBe("a [redacted]");
});

test("the end of a secret whose beginning is no longer kept is not shown", () => {
  const output = [`${secret} some more words\nthe last line`];
  for (let kept = 5; kept < 60; kept++) expect(shown(output, kept)).not.toMatch(/orse|ttery/);
  expect(shown(output, 40)).toBe("the last line");
});

test("what looks like a secret is masked too, over several lines and in long output", () => {
  const key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----";
  expect(shown([`${"x".repeat(20_000)}\n${key}\n--token=abc123 ok`], 50_000)).toMatch(/x\n\[redacted\]\n.*ok$/);
});

test("no output takes long to redact, whatever it is", () => {
  const size = 64 * 1024;
  for (const unit of ["a", "-", "ab1 ", '"token":"', "Bearer ", "?key=", "eyJ.", "\n", "A1b-_"])
    expect(shown([unit.repeat(size / unit.length)], size)).toBeTypeOf("string");
});
