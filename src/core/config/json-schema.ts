import type { CheckedSchema } from "./check-value.ts";
import { configSchema } from "./schema.ts";

/** The schema for editors: what has a default may be left out, and `$NAME` may stand where a number or a flag belongs. */
export function configJsonSchema(): Record<string, unknown> {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "clawport.json5",
    ...forEditors(configSchema),
  };
}

function forEditors(schema: CheckedSchema): Record<string, unknown> {
  const { properties, patternProperties, required, items, ...rest } = schema;
  const needed = required?.filter((key) => properties?.[key]?.default === undefined) ?? [];
  const whole = {
    ...rest,
    ...(properties && { properties: mapParts(properties) }),
    ...(patternProperties && { patternProperties: mapParts(patternProperties) }),
    ...(needed.length > 0 && { required: needed }),
    ...(items && { items: forEditors(items) }),
  };
  return ["integer", "number", "boolean"].includes(schema.type ?? "") ? orReference(whole) : whole;
}

function mapParts(parts: Readonly<Record<string, CheckedSchema>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parts).map(([key, part]) => [key, forEditors(part)]));
}

function orReference(whole: Record<string, unknown>): Record<string, unknown> {
  const { description, default: standard, ...check } = whole;
  const reference = { type: "string", pattern: String.raw`^\$(\w+|\{\w+(:-[^}]*)?\})$` };
  return { description, ...(standard !== undefined && { default: standard }), anyOf: [check, reference] };
}
