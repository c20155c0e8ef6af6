import { expect, test } from "vitest";
import { toToolError, toToolResult } from "./app-result.ts";

const text = (value: string) => ({ type: "text", text: value });
const image = { type: "image", data: "aGk=", mimeType: "image/png" };

test.each([
  ["null", null, { content: [] }],
  ["a string", "hi", { content: [text("hi")] }],
  ["a number", 7, { content: [text("7")] }],
  ["a list of data", [1, 2], { content: [text("[1,2]")] }],
  ["an empty list", [], { content: [text("[]")] }],
  ["an object", { a: 1 }, { content: [text('{"a":1}')], structuredContent: { a: 1 } }],
  ["one block", image, { content: [image] }],
  ["blocks", [image, text("x")], { content: [image, text("x")] }],
  [
    "a whole result",
    { content: [image], structuredContent: { a: 1 } },
    { content: [image], structuredContent: { a: 1 } },
  ],
  ["a whole result that failed", { content: [text("no")], isError: true }, { content: [text("no")], isError: true }],
])("%s becomes an MCP result", (_, content, result) => {
  expect(toToolResult(content)).toEqual(result);
});

test.each([
  ["a block without its data", { type: "image", mimeType: "image/png" }],
  ["an object with content of its own", { content: [image], author: "Anna" }],
  ["an object whose content is not a list", { content: "hi" }],
])("%s is treated as data of the app", (_, content) => {
  expect(toToolResult(content)).toEqual({ content: [text(JSON.stringify(content))], structuredContent: content });
});

test("content that comes with an error is kept", () => {
  expect(toToolError("no paper", [image])).toEqual({ content: [text("no paper"), image], isError: true });
});
