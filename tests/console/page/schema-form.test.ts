import { expect, test } from "vitest";
import { fieldKind, firstValue } from "../../../console/src/schema-form/field-kind.ts";
import { lineDiff } from "../../../console/src/pages/settings/line-diff.ts";

const kindOf = (schema: object, root: object = schema): string =>
  fieldKind(schema as Record<string, unknown>, root as Record<string, unknown>).kind;

test("each kind of schema is drawn, and what can't be drawn is JSON", () => {
  expect(kindOf({ type: "string" })).toBe("long-text");
  expect(kindOf({ type: "string", maxLength: 40 })).toBe("text");
  expect(kindOf({ type: "string", contentEncoding: "base64" })).toBe("file");
  expect(kindOf({ type: ["integer", "null"] })).toBe("number");
  expect(kindOf({ type: "boolean" })).toBe("flag");
  expect(kindOf({ enum: ["a", "b"] })).toBe("choice");
  expect(kindOf({ oneOf: [{ const: "a" }, { const: "b" }] })).toBe("choice");
  expect(kindOf({ anyOf: [{ type: "string" }, { type: "null" }] })).toBe("long-text");
  expect(kindOf({ oneOf: [{ type: "string" }, { type: "object", properties: {} }] })).toBe("variants");
  expect(kindOf({ type: "array", items: { type: "string" } })).toBe("list");
  expect(kindOf({ type: "object", properties: { a: {} } })).toBe("object");
  expect(kindOf({ type: "object" })).toBe("json");
  expect(kindOf({ type: ["string", "number"] })).toBe("json");
  expect(kindOf({})).toBe("json");
});

test("required fields come first, and references are followed within the schema only", () => {
  const root = {
    type: "object",
    properties: { a: { type: "string" }, b: { $ref: "#/$defs/size" }, c: { $ref: "https://example.com/x" } },
    required: ["b"],
    $defs: { size: { type: "integer", default: 3 } },
  };
  const kind = fieldKind(root, root);
  expect(kind.kind === "object" && kind.fields.map(({ name }) => name)).toEqual(["b", "a", "c"]);
  expect(kindOf({ $ref: "#/$defs/size" }, root)).toBe("number");
  expect(kindOf({ $ref: "https://example.com/x" }, root)).toBe("json");
  expect(firstValue({ $ref: "#/$defs/size" }, root)).toBe(3);
});

test("a schema that contains itself ends as JSON, and one with hostile names does no harm", () => {
  const self: Record<string, unknown> = { $defs: { a: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" };
  expect(kindOf(self)).toBe("json");
  const hostile = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}}',
  ) as object;
  expect(kindOf(hostile)).toBe("object");
  expect(kindOf({ $ref: "#/__proto__/toString" })).toBe("json");
});

test("a difference shows what changed with the lines around it", () => {
  const before = ["{", "  a: 1,", "  b: 2,", "  c: 3,", "  d: 4,", "}"].join("\n");
  const after = before.replace("  b: 2,", "  b: 5,\n  // new");
  expect(lineDiff(before, after).split("\n")).toEqual([
    "  {",
    "    a: 1,",
    "-   b: 2,",
    "+   b: 5,",
    "+   // new",
    "    c: 3,",
    "    d: 4,",
    "  …",
  ]);
  expect(lineDiff(before, before)).toBe("");
});
