import type { CheckedSchema } from "../../core/config/check-value.ts";

/**
 * One field of a verb's input: its JSON Schema, and the type that follows from it. Not TypeBox: the table of verbs is loaded by
 * every command that asks a hub, and by the page.
 */
export interface Field<Value = unknown, IsOptional extends boolean = boolean> {
  readonly schema: CheckedSchema;
  readonly isOptional: IsOptional;
  /** Never there. It carries the type. */
  readonly value?: Value;
}

export type Fields = Readonly<Record<string, Field>>;

type OptionalKeys<Shape extends Fields> = {
  [Key in keyof Shape]: Shape[Key] extends Field<unknown, true> ? Key : never;
}[keyof Shape];
type ValueOf<One> = One extends Field<infer Value> ? Value : never;

/** The object that a verb takes. */
export type Input<Shape extends Fields> = Flat<
  { readonly [Key in Exclude<keyof Shape, OptionalKeys<Shape>>]: ValueOf<Shape[Key]> } & {
    readonly [Key in OptionalKeys<Shape>]?: ValueOf<Shape[Key]> | undefined;
  }
>;

/** As one object type: an intersection with an empty one would take a string for an input whose fields are all optional. */
type Flat<Type> = { [Key in keyof Type]: Type[Key] };

const field =
  <Value>(schema: CheckedSchema) =>
  (description?: string): Field<Value, false> => ({
    schema: description === undefined ? schema : { ...schema, description },
    isOptional: false,
  });

export const text = field<string>({ type: "string" });
export const flag = field<boolean>({ type: "boolean" });
export const count = field<number>({ type: "integer", minimum: 0 });
export const texts = field<readonly string[]>({ type: "array", items: { type: "string" } });
/** Its items are checked by the verb. */
export const list = field<readonly unknown[]>({ type: "array" });
/** Texts by name, such as headers. */
export const textMap = field<Readonly<Record<string, string>>>({
  type: "object",
  patternProperties: { "": { type: "string" } },
});

export function oneOf<const Word extends string>(words: readonly Word[], description?: string): Field<Word, false> {
  return field<Word>({ type: "string", enum: words })(description);
}

export function optional<Value>({ schema }: Field<Value>): Field<Value, true> {
  return { schema, isOptional: true };
}

/** The JSON Schema of a whole input. */
export function inputSchema(fields: Fields): CheckedSchema {
  const entries = Object.entries(fields);
  const required = entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    ...(required.length > 0 && { required }),
  };
}
