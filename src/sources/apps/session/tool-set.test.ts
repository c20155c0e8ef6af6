import { expect, test } from "vitest";
import { parseToolSet } from "./tool-set.ts";

test("hidden characters are removed from the texts of an app's tools; what is stored is what the app sent", () => {
  const sent = [{ name: "draw", description: "Draws.\u200b\u{e0041}", input_schema: { title: "\u202eIn" } }];
  const { tools, raw } = parseToolSet(sent);
  expect(tools).toEqual([{ name: "draw", description: "Draws.", inputSchema: { type: "object", title: "In" } }]);
  expect(raw).toBe(sent);
});
