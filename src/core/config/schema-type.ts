import type { Static as StaticOf, TSchema, Type as TypeBoxTypes } from "typebox";

/**
 * The builders of JSON Schemas that the configuration needs, with TypeBox's types. TypeBox itself stays out of what is
 * loaded: every start with a configuration would wait for it, and what its builders return here is plain JSON.
 */
export const Type = {
  String: (options) => ({ type: "string", ...options }),
  Number: (options) => ({ type: "number", ...options }),
  Integer: (options) => ({ type: "integer", ...options }),
  Boolean: (options) => ({ type: "boolean", ...options }),
  Enum: (values, options) => ({ enum: values, ...options }),
  Array: (items, options) => ({ type: "array", items, ...options }),
  Union: (anyOf, options) => ({ anyOf, ...options }),
  Record: ({ pattern = "^.*$" }, value, options) => {
    return { type: "object", patternProperties: { [pattern]: value }, ...options };
  },
  Object(properties, options) {
    const required = Object.keys(properties).filter((key) => !optional.has(properties[key]));
    return { type: "object", ...(required.length > 0 && { required }), properties, ...options };
  },
  Optional(schema) {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
} satisfies Record<string, Builder> as unknown as Pick<
  typeof TypeBoxTypes,
  "String" | "Number" | "Integer" | "Boolean" | "Enum" | "Array" | "Union" | "Record" | "Object" | "Optional"
>;

export declare namespace Type {
  export type Static<T extends TSchema> = StaticOf<T>;
}

// oxlint-disable-next-line typescript/no-explicit-any
type Builder = (...parts: any[]) => object;

/** What an object need not have. */
const optional = new WeakSet<object>();
