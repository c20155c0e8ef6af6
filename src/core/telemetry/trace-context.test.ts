import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatTraceparent, parseTraceparent, traceFields } from "./trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

test("a well-formed header gives its parts", () => {
  expect(parseTraceparent(`00-${traceId}-${spanId}-01`)).toEqual({ traceId, spanId, flags: 1 });
});

test("a later version is read as far as this one goes", () => {
  expect(parseTraceparent(`cc-${traceId}-${spanId}-03-what-the-future-holds`)).toEqual({ traceId, spanId, flags: 3 });
});

test.each([
  ["nothing", ""],
  ["upper case", `00-${traceId.toUpperCase()}-${spanId}-01`],
  ["a zero trace", `00-${"0".repeat(32)}-${spanId}-01`],
  ["a zero span", `00-${traceId}-${"0".repeat(16)}-01`],
  ["the forbidden version", `ff-${traceId}-${spanId}-01`],
  ["more than version 00 has", `00-${traceId}-${spanId}-01-more`],
  ["a later version without its dash", `cc-${traceId}-${spanId}-01more`],
  ["a short trace", `00-${traceId.slice(1)}-${spanId}-01`],
  ["a line break", `00-${traceId}-${spanId}-01\n`],
  ["blanks around it", ` 00-${traceId}-${spanId}-01 `],
  ["no end", `cc-${traceId}-${spanId}-01-${"x".repeat(300)}`],
])("%s is not a trace context", (_, header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});

test("what is formatted parses back", () => {
  const hex = (bytes: number) =>
    fc
      .uint8Array({ minLength: bytes, maxLength: bytes })
      .filter((id) => id.some((byte) => byte !== 0))
      .map((id) => Buffer.from(id).toString("hex"));
  fc.assert(
    fc.property(hex(16), hex(8), fc.nat({ max: 255 }), (traceId, spanId, flags) => {
      expect(parseTraceparent(formatTraceparent({ traceId, spanId, flags }))).toEqual({ traceId, spanId, flags });
    }),
  );
});

test("a trace goes on with its state, as far as a header can hold it", () => {
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  expect(traceFields({ traceparent, tracestate: "a=1,b=2" })).toEqual({ traceparent, tracestate: "a=1,b=2" });
  for (const tracestate of [undefined, "", "a=1\r\nx: y", "a=ü", `a=${"1".repeat(511)}`])
    expect(traceFields({ traceparent, tracestate })).toEqual({ traceparent });
  for (const broken of [undefined, "", "nonsense", `01${traceparent.slice(2)}-\u0000`])
    expect(traceFields({ traceparent: broken, tracestate: "a=1" })).toBeUndefined();
});
