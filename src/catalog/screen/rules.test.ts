import { describe, expect, test } from "vitest";
import { indexTools } from "./neighbours.ts";
import { readWording } from "./read-wording.ts";
import { argumentRules } from "./rules/arguments.ts";
import { contextRules } from "./rules/context.ts";
import { structureRules } from "./rules/structure.ts";
import { wordingRules } from "./rules/wording.ts";
import { ruleTable } from "./rule-table.ts";
import { screenArguments } from "./screen-arguments.ts";
import { screenDefinition, surroundings } from "./screen-definition.ts";

describe.each(wordingRules.map((rule) => [rule.id, rule] as const))("wording: %s", (id, rule) => {
  const subject = rule.reads.definition === undefined ? "result" : "definition";
  test.each(rule.catches)("finds: %s", (text) => {
    expect(readWording(text, "text", subject).map((finding) => finding.rule)).toContain(id);
  });
  test.each(rule.passes)("leaves alone: %s", (text) => {
    expect(readWording(text, "text", subject)).toEqual([]);
  });
});

describe.each(structureRules.map((rule) => [rule.id, rule] as const))("structure: %s", (_, rule) => {
  test.each(rule.catches)("finds: %j", (text) => expect(rule.find(text)).toBeDefined());
  test.each(rule.passes)("leaves alone: %j", (text) => expect(rule.find(text)).toBeUndefined());
});

describe.each(argumentRules.map((rule) => [rule.id, rule] as const))("arguments: %s", (id, rule) => {
  const properties = { path: {}, url: {}, name: {}, id: {}, text: {} };
  const inputSchema = id === "undeclared-argument" ? { type: "object", properties } : undefined;
  const find = ({ about = "tool", arguments: args }: (typeof rule.catches)[number]) =>
    screenArguments({ name: about, inputSchema }, args).map((finding) => finding.rule);
  test.each(rule.catches)("finds: %j", (example) => expect(find(example)).toContain(id));
  test.each(rule.passes)("leaves alone: %j", (example) => expect(find(example)).toEqual([]));
});

describe.each(contextRules.map((rule) => [rule.id, rule] as const))("context: %s", (id, rule) => {
  const find = ({ definition, beside = [], with: siblings = [] }: (typeof rule.catches)[number]) =>
    screenDefinition(definition, surroundings("own", [...siblings, definition], indexTools(beside)));
  test.each(rule.catches)("finds: %j", (example) => {
    expect(find(example).map((finding) => finding.rule)).toContain(id);
  });
  test.each(rule.passes)("leaves alone: %j", (example) => {
    expect(find(example).filter(({ severity }) => severity === "hold" || severity === "ask")).toEqual([]);
  });
});

test("every rule has five examples of each kind", () => {
  const few = ruleTable().filter(({ catches, passes }) => catches.length < 5 || passes.length < 5);
  expect(few.map(({ id }) => id)).toEqual([]);
});

test("rules on wording never hold a thing back", () => {
  const severities: readonly string[] = wordingRules.flatMap(({ reads }) => Object.values(reads));
  expect(severities).not.toContain("hold");
});

/** Reading that grows with the square of the length would take minutes: the time limit of tests ends it. */
test.each(["a", "QUJD", "a-", "aB", "a.", "_"])("a definition of one very long word is read: %s", (piece) => {
  const definition = { name: "x", description: piece.repeat(400_000 / piece.length), inputSchema: { type: "object" } };
  expect(Array.isArray(screenDefinition(definition, surroundings("own", [definition], indexTools([]))))).toBe(true);
});
