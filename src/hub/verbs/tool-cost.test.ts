import { expect, test } from "vitest";
import { estimateDefinition } from "../../core/estimate-tokens.ts";
import { tokensOf } from "./tool-cost.ts";

test("tokens are counted as o200k does, and text that looks like a control token is text", () => {
  expect(tokensOf("hello world")).toBe(2);
  expect(tokensOf("<|endoftext|>")).toBeGreaterThan(1);
});

test("a word without end is counted too", () => {
  for (const letter of ["a", "é", "-", " "]) expect(tokensOf(letter.repeat(500_000))).toBeGreaterThan(1000);
});

test("a definition is estimated within a tenth of what o200k counts", () => {
  const definition = {
    name: "files__read_text_file",
    description:
      "Read the complete contents of a file from the file system as text. Handles various text encodings and provides detailed error messages if the file cannot be read. Use the 'head' parameter to read only the first N lines of a file.",
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", description: "Where the file is, relative to the allowed folder" },
        head: { type: "number", description: "If provided, returns only the first N lines of the file" },
      },
      required: ["path"],
    },
  };
  const counted = tokensOf(JSON.stringify(definition));
  expect(Math.abs(estimateDefinition(definition) / counted - 1)).toBeLessThan(0.1);
  expect(estimateDefinition(definition)).toBe(estimateDefinition({ ...definition }));
});
