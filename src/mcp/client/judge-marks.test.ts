import { expect, test } from "vitest";
import { judgeMarks } from "./judge-marks.ts";

const schema = (properties: object) => ({ type: "object", properties });
const marked = (mark: unknown, type: unknown = "string") => ({ type, "x-mcp-header": mark });

test.each([
  ["no marks", schema({ a: { type: "array" } })],
  ["no properties", { type: "object" }],
  [
    "a text, a whole number, a truth value",
    schema({ a: marked("A"), b: marked("B", "integer"), c: marked("C", "boolean") }),
  ],
  ["one that may be null", schema({ a: marked("A", ["string", "null"]) })],
  ["one without a type", schema({ a: { enum: ["x"], "x-mcp-header": "A" } })],
  ["one within another", schema({ a: { type: "object", properties: { b: marked("B") } } })],
  ["an argument that is called like the mark", schema({ "x-mcp-header": { type: "string" } })],
])("fine: %s", (_title, given) => {
  expect(judgeMarks(given)).toBeUndefined();
});

test.each([
  ["empty", schema({ a: marked("") })],
  ["no text", schema({ a: marked(5) })],
  ["with a blank", schema({ a: marked("My Region") })],
  ["with a colon", schema({ a: marked("Region:1") })],
  ["with a line's end", schema({ a: marked("A\r\nB") })],
  ["beyond ASCII", schema({ a: marked("Région") })],
  ["twice", schema({ a: marked("A"), b: marked("A") })],
  ["twice but for the case", schema({ a: marked("A"), b: { type: "object", properties: { c: marked("a") } } })],
  ["on an object", schema({ a: marked("A", "object") })],
  ["on a list", schema({ a: marked("A", "array") })],
  ["on a number with fractions", schema({ a: marked("A", "number") })],
  ["on nothing", schema({ a: marked("A", "null") })],
  ["on nothing in a list", schema({ a: marked("A", ["null"]) })],
])("wrong: %s", (_title, given) => {
  expect(judgeMarks(given)).toEqual(expect.any(String));
});
