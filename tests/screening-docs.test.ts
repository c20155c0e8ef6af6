import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { screeningDocs } from "../scripts/screening-docs.ts";

test("docs/screening.md is what the table of rules makes of it", () => {
  const { file, text } = screeningDocs();
  expect(readFileSync(file, "utf8")).toBe(text);
});
