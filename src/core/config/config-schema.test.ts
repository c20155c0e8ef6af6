import { Validator } from "@cfworker/json-schema";
import { expect, test } from "vitest";
import { configJsonSchema } from "./config-schema.ts";

const validator = new Validator(configJsonSchema(), "2020-12", false);

test.each([
  {},
  { $schema: "x", hub: {}, servers: { a: { url: "https://a.example/" } } },
  { hub: { port: "$PORT", allowRemote: "${REMOTE:-false}" } },
  { policy: { rules: [{ verdict: "allow" }] } },
])("an editor accepts %j", (config) => {
  expect(validator.validate(config).valid).toBe(true);
});

test.each([
  { hub: { prot: 1 } },
  { hub: { port: "many" } },
  { servers: { "a b": {} } },
  { log: { level: "warning" } },
  { policy: { rules: [{}] } },
])("an editor rejects %j", (config) => {
  expect(validator.validate(config).valid).toBe(false);
});

test("every field has a description, and the default it has in the file", () => {
  const lacking: string[] = [];
  const look = (schema: unknown, path: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    const items = "items" in schema ? schema.items : undefined;
    if (!("description" in { ...schema, ...(items as object) })) lacking.push(path);
    if ("properties" in schema)
      for (const [key, part] of Object.entries(schema.properties as object)) look(part, `${path}.${key}`);
    if ("patternProperties" in schema)
      for (const part of Object.values(schema.patternProperties as object)) look(part, `${path}.*`);
  };
  look(configJsonSchema(), "");
  expect(lacking).toEqual([]);
  expect(configJsonSchema()).toMatchObject({ properties: { hub: { properties: { port: { default: 8765 } } } } });
});
