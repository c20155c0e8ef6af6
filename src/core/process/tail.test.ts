import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createTail } from "./tail.ts";

test("the last bytes are kept, however they come", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 30 }), { maxLength: 30 }),
      fc.integer({ min: 1, max: 50 }),
      (texts, max) => {
        const tail = createTail(max);
        const chunks = texts.map((text) => Buffer.from(text, "latin1"));
        for (const chunk of chunks) tail.push(chunk);
        const whole = Buffer.concat(chunks);
        expect(tail.text()).toBe(whole.subarray(Math.max(0, whole.length - max)).toString("utf8"));
      },
    ),
  );
});
