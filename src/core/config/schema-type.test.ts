import { expect, test } from "vitest";
import { Type as TypeBoxTypes } from "typebox";
import { Type } from "./schema-type.ts";

const options = { description: "One.", default: {} };

const schemas: Record<string, (type: typeof Type) => object> = {
  texts: (type) => type.String({ minLength: 1 }),
  numbers: (type) => type.Array(type.Number(options), { ...options, minItems: 1 }),
  switches: (type) => type.Object({ a: type.Boolean(), b: type.Optional(type.Integer({ minimum: 1 })) }, options),
  "nothing that is required": (type) => type.Object({ a: type.Optional(type.Enum(["x", "y"])) }),
  "one of several": (type) => type.Union([type.Integer(), type.Enum(["off"], options)], options),
  "any names": (type) => type.Record(type.String(), type.Object({}), { additionalProperties: false }),
  "names of a form": (type) => type.Record(type.String({ pattern: "^[a-z]+$" }), type.Boolean(), options),
};

test.each(Object.entries(schemas))("%s become the same schema as with TypeBox", (_, build) => {
  expect(JSON.stringify(build(Type))).toBe(JSON.stringify(build(TypeBoxTypes)));
});

test("what is optional in one object can be required in another", () => {
  const text = Type.String();
  expect(Type.Object({ a: Type.Optional(text), b: text })).toMatchObject({ required: ["b"] });
});
