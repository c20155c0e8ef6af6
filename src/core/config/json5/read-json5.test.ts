import * as fc from "fast-check";
import JSON5 from "json5";
import { expect, test } from "vitest";
import { pathKey } from "../config-path.ts";
import { Json5Fault, readJson5 } from "./read-json5.ts";

/** What the reference reader says: the value, or that this is no JSON5. */
function reference(text: string): unknown {
  try {
    return { value: JSON5.parse<unknown>(text) };
  } catch {
    return "no JSON5";
  }
}

function ours(text: string): unknown {
  try {
    return { value: readJson5(text).value };
  } catch (error) {
    if (error instanceof Json5Fault) return "no JSON5";
    throw error;
  }
}

const texts = [
  "{a:1,'b':[+Infinity,-.5,5.,0x1F,-0xa,1e5,],}",
  "// c\n{/* x */}\n",
  "\uFEFF{é:1,a\\u0062:2,$x_1:3}",
  "'\\x41\\0\\v\\u0041\\a\\'\\\ny\\\r\nz'",
  "{null:1,true:2,Infinity:3,NaN:4,if:5}",
  "{__proto__:{x:1},constructor:2}",
  "[NaN,-NaN,+NaN,-0,.5e-3]",
  '{"a": "\\"", b: "it\'s"}',
  "1//",
];
const broken = [
  "",
  "{",
  "[1,,2]",
  "{a:1 b:2}",
  "01",
  "'a\nb'",
  "'\\1'",
  "'\\u12'",
  "'\\x1'",
  "0xg",
  "{a-b:1}",
  "nul",
].concat([
  "/* x",
  "{}}",
  "1.2.3",
  "+ 1",
  "{'a'}",
  "{a:}",
  "[",
  "{\\u0020a:1}",
  "'\\00'",
  "--1",
  "1e",
  "{1:2}",
  "//",
  "{a:undefined}",
]);

test.each(texts)("%j is read as the reference reads it", (text) => {
  expect(ours(text)).toEqual(reference(text));
  expect(ours(text)).not.toBe("no JSON5");
});

test.each(broken)("%j is refused, as by the reference", (text) => {
  expect(reference(text)).toBe("no JSON5");
  expect(ours(text)).toBe("no JSON5");
});

test("any JSON5 is read as the reference reads it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2, "\t"), fc.constantFrom("'", '"'), (value, space, quote) => {
      const text = JSON5.stringify(value, { space, quote });
      expect(readJson5(text).value).toEqual(JSON5.parse(text));
    }),
  );
});

test("texts with a character changed are read or refused as by the reference", () => {
  const char = fc.constantFrom(...`{}[],:'"\\/*+-.019exXaIN_$ \n\r\tu`.split(""));
  const edit = fc.record({ text: fc.constantFrom(...texts, ...broken), at: fc.nat(40), cut: fc.nat(2), char });
  fc.assert(
    fc.property(edit, ({ text, at, cut, char }) => {
      const changed = text.slice(0, at) + char + text.slice(at + cut);
      expect(ours(changed)).toEqual(reference(changed));
    }),
    { numRuns: 3000 },
  );
});

test("the offsets of every value and key are known", () => {
  const text = '{\n  a: [1, {"b c": 2}],\n}';
  const places = readJson5(text).places;
  const keyAt = (...path: (string | number)[]): string => text.slice(places.get(pathKey(path))?.key).slice(0, 4);
  const valueAt = (...path: (string | number)[]): string => text.slice(places.get(pathKey(path))?.value).slice(0, 3);
  expect([keyAt("a"), valueAt("a"), valueAt("a", 0)]).toEqual(["a: [", "[1,", "1, "]);
  expect([keyAt("a", 1, "b c"), valueAt("a", 1, "b c")]).toEqual(['"b c', "2}]"]);
});

test("a key that is there twice is reported", () => {
  expect(readJson5("{a:1,b:{c:1,'c':2}}").repeated).toEqual([{ path: ["b", "c"], offset: 12 }]);
});

test("a prototype in the text is a plain key", () => {
  const { value } = readJson5('{"__proto__": {"polluted": true}}');
  expect(Object.keys(value as object)).toEqual(["__proto__"]);
  expect((value as { polluted?: unknown }).polluted).toBeUndefined();
});

test("nesting is bounded", () => {
  expect(() => readJson5("[".repeat(100_000))).toThrow(/levels deep/);
});
