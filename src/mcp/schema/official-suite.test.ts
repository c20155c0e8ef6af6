import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { JsonSchema } from "../messages/tool.ts";
import { createSchemaChecker } from "./schema-checker.ts";

/** The required tests of the official JSON Schema test suite for 2020-12, as published. */
const suite = new URL("../../../tests/fixtures/json-schema-test-suite/", import.meta.url);

interface Group {
  readonly description: string;
  readonly schema: JsonSchema | boolean;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

/** Nothing is ever fetched, so a schema that refers to another document accepts every value. */
const elsewhere = {
  "defs.json": ["validate definition against metaschema: invalid definition schema"],
  "ref.json": ["remote ref, containing refs itself: remote ref invalid"],
  "dynamicRef.json": [
    "strict-tree schema, guards against misspelled properties: instance with misspelled field",
    "tests for implementation dynamic anchor and reference link: incorrect parent schema",
    "tests for implementation dynamic anchor and reference link: incorrect extended schema",
    "$ref and $dynamicAnchor are independent of order - $defs first: incorrect parent schema",
    "$ref and $dynamicAnchor are independent of order - $defs first: incorrect extended schema",
    "$ref and $dynamicAnchor are independent of order - $ref first: incorrect parent schema",
    "$ref and $dynamicAnchor are independent of order - $ref first: incorrect extended schema",
    "$ref to $dynamicRef finds detached $dynamicAnchor: non-number is invalid",
  ],
  "refRemote.json": [
    "remote ref: remote ref invalid",
    "fragment within remote ref: remote fragment invalid",
    "anchor within remote ref: remote anchor invalid",
    "ref within remote ref: ref within ref invalid",
    "base URI change: base URI change ref invalid",
    "base URI change - change folder: string is invalid",
    "base URI change - change folder in subschema: string is invalid",
    "root ref in remote ref: object is invalid",
    "remote ref with ref to defs: invalid",
    "Location-independent identifier in remote ref: string is invalid",
    "retrieved nested refs resolve relative to their URI not $id: number is invalid",
    "remote HTTP ref with different $id: number is invalid",
    "remote HTTP ref with different URN $id: number is invalid",
    "remote HTTP ref with nested absolute ref: number is invalid",
    "$ref to $ref finds detached $anchor: non-number is invalid",
  ],
};

/** Vocabularies of one's own are declared in a meta-schema, which is another document: all keywords count. */
const vocabularies = {
  "vocabulary.json": [
    "schema that uses custom metaschema with with no validation vocabulary: no validation: invalid number, but it still validates",
  ],
};

const excluded: Readonly<Record<string, readonly string[]>> = { ...elsewhere, ...vocabularies };

// A listed case that passes fails the test, too: the list stays true.
test.for(readdirSync(suite).filter((name) => name.endsWith(".json")))("the official suite: %s", async (file) => {
  const groups: readonly Group[] = JSON.parse(readFileSync(new URL(file, suite), "utf8"));
  const failed: string[] = [];
  for (const group of groups) {
    const checker = createSchemaChecker({ milliseconds: 2000 });
    // A tool's schema is always an object.
    const schema = typeof group.schema === "boolean" ? { allOf: [group.schema] } : group.schema;
    for (const { description, data, valid } of group.tests) {
      const verdict = await checker.check(schema, data);
      if (verdict.ok !== valid) failed.push(`${group.description}: ${description}`);
    }
  }
  expect(failed).toEqual(excluded[file] ?? []);
});

test("the whole suite is there", () => {
  const files = readdirSync(suite).filter((name) => name.endsWith(".json"));
  const groups = files.flatMap((file): Group[] => JSON.parse(readFileSync(new URL(file, suite), "utf8")));
  expect([files.length, groups.flatMap(({ tests }) => tests).length]).toEqual([48, 1301]);
  expect(Object.keys(excluded).filter((file) => !files.includes(file))).toEqual([]);
});
