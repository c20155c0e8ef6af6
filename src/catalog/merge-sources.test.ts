import { expect, test } from "vitest";
import { testSource } from "../../tests/support/test-source.ts";
import { createCatalog } from "./catalog.ts";
import { mergeInstructions } from "./merge-sources.ts";

const saying = (id: string, text: string | undefined) => testSource({ id, instructions: () => text });

test("each source has its part under its name, and those that say nothing have none", () => {
  const sources = [saying("a", " Be gentle.\n"), saying("b", undefined), testSource({ id: "c" }), saying("d", "  ")];
  expect(mergeInstructions(sources)).toBe("## a\n\nBe gentle.");
  expect(mergeInstructions([...sources, saying("e", "Be quick.")])).toBe("## a\n\nBe gentle.\n\n## e\n\nBe quick.");
  expect(mergeInstructions([testSource()])).toBeUndefined();
});

test("a long text is cut, and what is too much in all is named instead", () => {
  expect(mergeInstructions([saying("a", "x".repeat(5000))])).toBe(`## a\n\n${"x".repeat(1999)}…`);
  const many = Array.from({ length: 100 }, (_, index) => saying(`s${index}`, "y".repeat(5000)));
  const merged = mergeInstructions(many)!;
  expect(merged.length).toBeLessThan(15_000);
  expect(merged).toContain("## s4\n");
  expect(merged).not.toContain("## s6\n");
  expect(merged).toContain("too long to stand here: s5, s6, s7");
});

test("a source that says little has its part though one before it said too much", () => {
  const long = Array.from({ length: 6 }, (_, index) => saying(`long${index}`, "y".repeat(5000)));
  const merged = mergeInstructions([...long, saying("short", "Be quick.")])!;
  expect(merged).toContain("## short\n\nBe quick.");
  expect(merged).toMatch(/too long to stand here: long5\)$/);
});

test("a view of one source has its words as they are, and the whole has them as they are now", () => {
  let text = "z".repeat(5000);
  const catalog = createCatalog();
  catalog.add(testSource({ id: "a", instructions: () => text }));
  catalog.add(saying("b", "Be quick."));
  expect(catalog.view({ source: "a" }).instructions()).toBe(text);
  text = "Now short.";
  expect(catalog.view("all").instructions()).toBe("## a\n\nNow short.\n\n## b\n\nBe quick.");
  expect(catalog.view({ source: "a" }).instructions()).toBe("Now short.");
  expect(catalog.view({ source: "gone" }).instructions()).toBeUndefined();
  expect(catalog.view({ names: ["*"] }).instructions()).toBeUndefined();
});
