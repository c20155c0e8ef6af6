import { expect, test } from "vitest";
import { attachImages } from "./images.ts";

const inner = { content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] };
const result = {
  content: [{ type: "text", text: JSON.stringify(inner, undefined, 2) }],
  details: { tool: { mcp: { serverName: "notes" } } },
};

test("an image inside the text of Tool Search is attached", () => {
  const attached = attachImages({ toolName: "tool_call", result }, (entry) => entry === "notes");
  expect(attached?.content[1]).toEqual({ type: "image", data: "aGk=", mimeType: "image/png" });
  expect(attached?.content[0]?.text).toContain("(attached)");
});

test("results of other tools and other servers are left alone", () => {
  expect(attachImages({ toolName: "tool_call", result }, () => false)).toBeUndefined();
  expect(attachImages({ toolName: "exec", result }, () => true)).toBeUndefined();
});
