import { expect, test } from "vitest";
import { typedArguments } from "./typed-arguments.ts";

const schema = {
  type: "object",
  properties: {
    text: { type: "string" },
    count: { type: "integer" },
    ratio: { type: "number" },
    loud: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    sizes: { type: "array", items: { type: "integer" } },
    level: { enum: ["low", 2] },
    maybe: { anyOf: [{ type: "number" }, { type: "null" }] },
    either: { type: ["string", "number"] },
    place: { $ref: "#/$defs/place" },
    home: { $ref: "Home" },
    "dotted.name": { type: "integer" },
    any: {},
  },
  $defs: {
    place: { type: "object", properties: { city: { type: "string" }, zip: { type: "integer" } } },
    home: { $id: "Home", type: "object", properties: { floor: { type: "integer" }, above: { $ref: "Home" } } },
  },
};

const read = (...words: string[]) =>
  typedArguments(words, schema, async () => '{"text": "from the input", "count": 9}');

test.each([
  ["text=007", { text: "007" }],
  ["home.above.floor=2", { home: { above: { floor: 2 } } }],
  ["text=a=b", { text: "a=b" }],
  ["text=", { text: "" }],
  ["text={not json}", { text: "{not json}" }],
  ["count=-3", { count: -3 }],
  ["ratio=1e-2", { ratio: 0.01 }],
  ["loud=true", { loud: true }],
  ["tags=a", { tags: ["a"] }],
  ['tags=["a","b"]', { tags: ["a", "b"] }],
  ["sizes=5", { sizes: [5] }],
  ["level=2", { level: 2 }],
  ["maybe=null", { maybe: null }],
  ["maybe=4", { maybe: 4 }],
  ["either=4", { either: 4 }],
  ["either=4x", { either: "4x" }],
  ["place.zip=123", { place: { zip: 123 } }],
  ['place={"city":"Bern"}', { place: { city: "Bern" } }],
  ["dotted.name=1", { "dotted.name": 1 }],
  ["any=[1]", { any: [1] }],
  ["any=plain", { any: "plain" }],
  ['{"text":"x"}', { text: "x" }],
  ["-", { text: "from the input", count: 9 }],
])("%s is taken by its type", async (word, values) => {
  expect(await read(word)).toEqual(values);
});

test("keys again make a list, several parts of one object meet, and later words go before the JSON", async () => {
  expect(await read("tags=a", "tags=b", 'tags=["c"]', "sizes=1", "sizes=2")).toEqual({
    tags: ["a", "b", "c"],
    sizes: [1, 2],
  });
  expect(await read("place.city=Bern", "place.zip=3000")).toEqual({ place: { city: "Bern", zip: 3000 } });
  expect(await read("-", "count=1")).toEqual({ text: "from the input", count: 1 });
});

test.each([
  ["count=abc", /count must be a whole number, not "abc"/],
  ["count=1.5", /a whole number/],
  ["loud=yes", /true or false/],
  ["tags=[broken", /starts like a JSON array/],
  ["nothing", /write key=value/],
  ["=x", /write key=value/],
  ["{broken", /is not JSON/],
])("%s says what is wrong", async (word, says) => {
  await expect(read(word)).rejects.toThrow(says);
});

test("a value given twice, and a value inside another, are mistakes", async () => {
  await expect(read("text=a", "text=b")).rejects.toThrow(/twice/);
  await expect(read("any=1", "any.x=2")).rejects.toThrow(/inside any/);
});

test("where the schema takes no other names, a wrong one is answered with the right one", async () => {
  const closed = { type: "object", properties: { message: { type: "string" } }, additionalProperties: false };
  await expect(typedArguments(["mesage=x"], closed, async () => "")).rejects.toThrow(/did you mean message\?/);
  expect(await typedArguments(["new=1"], { type: "object" }, async () => "")).toEqual({ new: 1 });
});

test("a name that means something to JavaScript is a name like any other", async () => {
  const values = await typedArguments(["__proto__.polluted=1", "constructor=2"], { type: "object" }, async () => "");
  expect(Object.keys(values)).toEqual(["__proto__", "constructor"]);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});
