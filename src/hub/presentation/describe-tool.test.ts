import { expect, test } from "vitest";
import type { JsonSchema } from "../../mcp/messages/tool.ts";
import { createSchemaChecker } from "../../mcp/schema/schema-checker.ts";
import type { ListedTool } from "../control/queries/list-tools.ts";
import { describeTool } from "./describe-tool.ts";
import { exampleArguments, exampleWords } from "./example-call.ts";
import { typedArguments } from "./typed-arguments.ts";

const tool = (inputSchema: JsonSchema, more: Partial<ListedTool> = {}): ListedTool => ({
  name: "notes__add",
  source: "notes",
  inputSchema,
  ...more,
});

test.each<[string, JsonSchema]>([
  ["no arguments", { type: "object" }],
  ["only optional ones", { type: "object", properties: { a: { type: "integer", minimum: 5 } } }],
  [
    "every type",
    {
      type: "object",
      properties: {
        text: { type: "string" },
        when: { type: "string", format: "date" },
        kind: { enum: ["b c", "d"] },
        share: { type: "number", exclusiveMinimum: 3, maximum: 9 },
        loud: { type: "boolean" },
      },
      required: ["text", "when", "kind", "share", "loud"],
    },
  ],
  [
    "objects, lists and references",
    {
      type: "object",
      properties: { place: { $ref: "#/$defs/place" }, tags: { type: "array", items: { type: "string" }, minItems: 1 } },
      required: ["place", "tags"],
      $defs: { place: { type: "object", properties: { row: { type: "integer" } }, required: ["row"] } },
    },
  ],
  [
    "examples of the author",
    { type: "object", properties: { q: { type: "string", examples: ["it's"] } }, required: ["q"] },
  ],
])("an example fits its schema, as JSON and as typed: %s", async (_, schema) => {
  const example = exampleArguments(schema);
  expect(await createSchemaChecker().check(schema, example)).toMatchObject({ ok: true });
  // What a shell makes of the words.
  const words = exampleWords(example).map((word) =>
    word.replace(/^'([\s\S]*)'$/, "$1").replaceAll(String.raw`'\''`, "'"),
  );
  expect(await typedArguments(words, schema, () => Promise.resolve(""))).toEqual(example);
});

test("a schema whose parts refer to each other, or that is huge, is described at once", () => {
  const knot: JsonSchema = {
    type: "object",
    anyOf: Array.from({ length: 20 }, () => ({ $ref: "#" })),
    allOf: Array.from({ length: 20 }, (_, index) => ({ allOf: [{ $ref: "#" }, { $ref: `#/allOf/${index}` }] })),
    properties: { self: { $ref: "#" }, other: { $ref: "#" } },
    required: ["self", "other"],
  };
  expect(describeTool(tool(knot), { prefix: "clawport" }).text).toContain("self ");
  const properties = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`p${n}`, { type: "string" }]));
  const huge = describeTool(tool({ type: "object", properties, required: Object.keys(properties) }), { prefix: "x" });
  expect(huge.text.length).toBeLessThan(20_000);
  expect(huge.text).toContain("too long to show here: add --json");
});

test("text of a server can't move the cursor or hide anything", () => {
  const { text } = describeTool(
    tool(
      { type: "object", properties: { "a\u001B[2J": { type: "string", description: "b\u202Ec" } } },
      { title: "\u001B]0;owned\u0007", description: "d\u0007e", annotations: { readOnlyHint: true } },
    ),
    { prefix: "clawport" },
  );
  expect(text).not.toMatch(/[^\P{C}\n]/u);
  expect(text).toContain("read-only: yes");
});
