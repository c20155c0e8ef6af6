import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ExactNumber, isExactNumber, requireDoubles, roundNumbers, sharedExactNumber } from "./exact-number.ts";
import { isRecord } from "./is-record.ts";
import { isSameJson } from "./is-same-json.ts";
import { approximateJsonSize } from "./json-size.ts";
import { parseJson } from "./json.ts";
import { redact } from "./secrets/redact.ts";
import { sortKeys } from "./sort-keys.ts";

/** Any number as JSON allows it to be written. */
const number = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.oneof(fc.constant("0"), fc.stringMatching(/^[1-9]\d{0,30}$/), fc.stringMatching(/^[1-9]\d{0,3}$/)),
    fc.oneof(fc.constant(""), fc.stringMatching(/^\.\d{1,30}$/), fc.stringMatching(/^\.0{1,20}\d$/)),
    fc.oneof(fc.constant(""), fc.stringMatching(/^[eE][+-]?\d{1,4}$/)),
  )
  .map((parts) => parts.join(""));

/** The value as a fraction of whole numbers, whatever it is written like; `-0` is a value of its own. */
function valueOf(text: string): string {
  const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = BigInt(whole! + fraction);
  const power = Number(exponent) - fraction.length;
  const scaled = digits * 10n ** BigInt(power + 12_000);
  return `${sign}${scaled}`;
}

const around: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `[${text}]`,
  (text) => `{"a":{"b":[1, ${text} ,2]}}`,
  (text) => `{"text":"${"long ".repeat(300)}","n":${text}}`,
  (text) => `{"n":${text},"text":"${'\\"1,2\\": '.repeat(300)}"}`,
  (text) => `{"list":[${`{"id":7,"name":"n"},`.repeat(200)}${text}],"zero":0}`,
  (text) => `{\n  "n": ${text}\n}`,
];

describe("parsing and writing", () => {
  test.each(around.map((wrap) => [wrap("…").slice(0, 30), wrap] as const))("changes no number: %s", (_, wrap) => {
    fc.assert(
      fc.property(number, (text) => {
        const whole = wrap(text);
        const written = JSON.stringify(parseJson(whole));
        const [before, after] = wrap("…")
          .replaceAll(/\s(?=(?:[^"]|"[^"]*")*$)/g, "")
          .split("…") as [string, string];
        expect(written.startsWith(before) && written.endsWith(after)).toBe(true);
        expect(valueOf(written.slice(before.length, written.length - after.length))).toBe(valueOf(text));
      }),
      { numRuns: 300 },
    );
  });

  test("is what JSON.parse does with every other text", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
    for (const text of ["", "{", "01", "-", '{"a":1234567890123456789', "[1e]"])
      expect(() => parseJson(text)).toThrow(SyntaxError);
    const odd = '{"__proto__":12345678901234567890,"a":1,"a":2}';
    expect(JSON.stringify(parseJson(odd))).toBe('{"__proto__":12345678901234567890,"a":2}');
  });

  test("takes no longer than the text is long", () => {
    const long = "0".repeat(2_000_000);
    for (const text of [
      `[1${long}1]`,
      `[0.${long}1]`,
      `{"a":"${'\\"'.repeat(100)}${long}"}`,
      `[1,${" ".repeat(2_000_000)}2]`,
    ])
      expect(JSON.stringify(parseJson(text))).toBe(text.replaceAll(" ", ""));
  });

  test("keeps doubles as numbers", () => {
    for (const text of ["0", "1.0", "1e2", "9007199254740992", "123456789012345680000", "0.1", "5e-324", "1E+2"])
      expect(parseJson(`[${text}]`)).toEqual([Number(text)]);
  });
});

describe("an exact number", () => {
  const exact = (text: string) => parseJson(`[${text}]`) as [unknown];

  test("has no parts", () => {
    expect(isRecord(exact("12345678901234567890")[0])).toBe(false);
    expect(isExactNumber({ rawJSON: "1" })).toBe(false);
    expect(isExactNumber(parseJson('{"rawJSON":"12345678901234567890"}'))).toBe(false);
  });

  test("can be a key", () => {
    const [one, other] = [exact("9007199254740993")[0], exact("9007199254740993")[0]];
    expect([isExactNumber(one), isExactNumber(other), one === other]).toEqual([true, true, false]);
    expect(sharedExactNumber(one as ExactNumber)).toBe(sharedExactNumber(other as ExactNumber));
  });

  test("is written as it is by everything that copies values", () => {
    const text = '{"b":[12345678901234567890],"a":{"n":-0,"e":1E400}}';
    const value = parseJson(text);
    expect(JSON.stringify(redact(value))).toBe(text);
    expect(JSON.stringify(value, sortKeys)).toBe('{"a":{"e":1E400,"n":-0},"b":[12345678901234567890]}');
    expect(approximateJsonSize(parseJson("[12345678901234567890]"))).toBe(23);
    expect(isSameJson(value, parseJson(text))).toBe(true);
    expect(isSameJson(value, parseJson(text.replace("7890", "7891")))).toBe(false);
  });

  test("is compared as the nearest double, which is finite and no zero", () => {
    const value = parseJson('{"a":[9007199254740993,1E400,-1e999,1e-400,-0],"b":{"c":1}}') as { b: object };
    const rounded = roundNumbers(value) as { a: number[]; b: object };
    expect(rounded.a).toEqual([2 ** 53, Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, -0]);
    expect(rounded.b).toBe(value.b);
    expect(roundNumbers(value.b)).toBe(value.b);
  });

  test("is refused where it would be computed with", () => {
    expect(requireDoubles(parseJson('{"a":-0,"b":1}'))).toEqual({ a: 0, b: 1 });
    expect(() => requireDoubles(parseJson('{"a":[12345678901234567890]}'))).toThrow(
      "The number 12345678901234567890 has more digits than can be computed with. Send it as a string.",
    );
  });
});
