import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { policySchema } from "./policy-config.ts";
import { presetWords } from "./preset-words.ts";

test("the documents and the schema describe the presets with the same words", () => {
  const docs = readFileSync(new URL("../../../docs/guard.md", import.meta.url), "utf8");
  const schema = JSON.stringify(policySchema);
  for (const [preset, words] of Object.entries(presetWords)) {
    expect(docs).toContain(`| \`${preset}\` | ${words} |\n`);
    expect(schema).toContain(words);
  }
});
