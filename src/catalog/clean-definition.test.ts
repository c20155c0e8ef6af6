import { expect, test } from "vitest";
import { testTool } from "../../tests/support/test-source.ts";
import { cleanPrompt, cleanResource, cleanTool } from "./clean-definition.ts";

const zero = "\u200b";

test("texts of a tool and of its schemas are cleaned, at any depth; the rest of it stays the same", () => {
  const tool = testTool("add", {
    title: `Add${zero}`,
    description: "\u001b[8mhidden\u001b[0m",
    annotations: { title: `A${zero}dd`, readOnlyHint: true },
    inputSchema: {
      type: "object",
      description: `top${zero}`,
      properties: { title: { type: "string", title: `T${zero}`, anyOf: [{ description: `deep${zero}` }] } },
    },
    outputSchema: { type: "object", $defs: { x: { description: zero } } },
    _meta: { kept: zero },
  });
  const { item, removed, flagged } = cleanTool(tool);
  expect(item).toEqual({
    ...tool,
    title: "Add",
    description: "hidden",
    annotations: { title: "Add", readOnlyHint: true },
    inputSchema: {
      type: "object",
      description: "top",
      properties: { title: { type: "string", title: "T", anyOf: [{ description: "deep" }] } },
    },
    outputSchema: { type: "object", $defs: { x: { description: "" } } },
  });
  expect(removed).toBe(6 + "\u001b[8m\u001b[0m".length);
  expect(flagged).toEqual([]);
});

test("names, values and patterns keep their characters, since a call must send them, and are flagged", () => {
  const inputSchema = {
    type: "object",
    properties: {
      [`pa${zero}th`]: { type: "string" },
      mode: { enum: ["a", `b${zero}`], default: { x: zero } },
      fixed: { const: zero },
      text: { type: "string", pattern: `^${zero}$` },
      description: { type: "string" },
    },
  };
  const tool = testTool("add", { inputSchema });
  const { item, flagged } = cleanTool(tool);
  expect(item).toBe(tool);
  expect(flagged).toEqual([
    "inputSchema.properties",
    "inputSchema.properties.mode.enum",
    "inputSchema.properties.mode.default",
    "inputSchema.properties.fixed.const",
    "inputSchema.properties.text.pattern",
  ]);
});

test("prompts and resources are cleaned, too; a prompt's names are flagged", () => {
  const prompt = { name: "p", title: `P${zero}`, arguments: [{ name: `n${zero}`, description: `d${zero}` }] };
  expect(cleanPrompt(prompt)).toEqual({
    item: { name: "p", title: "P", arguments: [{ name: `n${zero}`, description: "d" }] },
    removed: 2,
    flagged: ["arguments"],
  });
  expect(cleanResource({ uri: `x:${zero}`, name: `n${zero}` }).item).toEqual({ uri: `x:${zero}`, name: "n" });
});

test("definitions whose parts have the wrong type are left alone", () => {
  const odd = { name: "x", title: 7, description: null, inputSchema: { properties: [1], enum: "no", title: {} } };
  expect(cleanTool(odd as never)).toMatchObject({ item: odd, removed: 0 });
  expect(cleanPrompt({ name: "x", arguments: "no" } as never).removed).toBe(0);
});
