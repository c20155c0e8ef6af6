import { expect, test } from "vitest";
import { testTool } from "../../../../tests/support/test-source.ts";
import type { ToolResult } from "../../../mcp/messages/tool.ts";
import { keepResult } from "./keep-result.ts";
import type { ResultStore } from "./result-store.ts";

/** Keeps a result beyond 1,000 tokens in memory, and returns what the client gets and what was kept. */
async function keep(result: unknown, outputSchema?: Record<string, unknown>) {
  const kept: string[] = [];
  const store: Pick<ResultStore, "put"> = {
    put(_, text) {
      kept.push(text);
      return Promise.resolve({ id: "x", bytes: Buffer.byteLength(text), lines: text.split("\n").length });
    },
  };
  const shown = await keepResult(result as ToolResult, {
    store: store as ResultStore,
    owner: "me",
    tool: testTool("log", outputSchema && { outputSchema }),
    maxTokens: 1000,
    keepMs: 60_000,
    names: { read: "read_result", search: "search_result" },
    hasLinks: true,
  });
  return { shown, kept };
}

const long = Array.from({ length: 2000 }, (_, index) => `line ${index + 1}`).join("\n");
const rows = Array.from({ length: 2000 }, (_, id) => ({ id, name: `row ${id}` }));
const block = (text: string) => ({ type: "text", text });
const anything = { type: "object" };
const json = JSON.stringify;

test.each<[string, readonly string[], unknown, object?]>([
  ["a file as the server of files sends it", [long], { content: long }, anything],
  ["a wrapped text", [long], { result: long }, anything],
  ["a text beside short fields", [long], { path: "/a", content: long, bytes: 7 }, anything],
  ["JSON with long texts", [json({ a: long, b: 1 })], { b: 1, a: long }, anything],
  ["indented JSON", [JSON.stringify(rows, undefined, 2)], rows],
  ["wrapped JSON", [json(rows)], { result: rows }],
  ["a list, an item a block", rows.map((row) => json(row)), { result: rows }],
  ["a list of texts, an item a block", [long, "b", long], { result: [long, "b", long] }],
  ["a note and the JSON", ["2,000 rows:", json({ rows })], { rows }],
])("structured content that the text repeats is kept once: %s", async (_, texts, structuredContent, schema) => {
  const { kept } = await keep({ content: texts.map(block), structuredContent }, schema as typeof anything);
  expect(kept).toHaveLength(1);
  expect(kept[0]).not.toContain("structured content ---");
  for (const text of texts) expect(kept[0]).toContain(text);
});

test.each<[string, readonly string[], unknown, object?]>([
  ["another long text", [long], { content: long.toUpperCase() }, anything],
  ["short fields that are not declared", [long], { path: "/a", content: long }],
  ["other rows", [long], { rows }],
  ["a part of the text", [long], { content: long.slice(5) }],
  ["more items than blocks", [json(rows), json(rows)], { result: [rows, rows, rows] }],
])("structured content that says more than the text is kept beside it: %s", async (_, texts, value, schema) => {
  const { kept } = await keep({ content: texts.map(block), structuredContent: value }, schema as typeof anything);
  expect(kept[0]).toContain(": structured content ---");
  expect(kept[0]).toContain(JSON.stringify(value, undefined, 1));
});

test.each(["", "x"])(
  "neither the preview nor a shortened string ends in half a character (%j before them)",
  async (shift) => {
    const faces = `${shift}${"ab😀".repeat(2001)}`;
    const { shown } = await keep({ content: [block(faces)], structuredContent: { faces } }, anything);
    expect((shown.structuredContent as { faces: string }).faces.length).toBeLessThan(2500);
    const texts = [shown.content[0], shown.structuredContent].map((each) => JSON.stringify(each));
    for (const text of texts) expect(text).not.toMatch(/\\ud[89a-f]/);
  },
);

test("blocks that are none stay, and do not keep the text from being kept", async () => {
  const odd = [null, { type: "text" }, { type: "resource" }, 7, { type: "text", text: 5 }];
  const { shown, kept } = await keep({ content: [...odd, block(long)] });
  expect(kept).toEqual([long]);
  expect(shown.content.slice(2)).toEqual(odd);
});
