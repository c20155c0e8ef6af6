import { expect, test } from "vitest";
import { testSource } from "../../tests/support/test-source.ts";
import { createCatalog } from "./catalog.ts";
import { mergeInstructions } from "./merge-sources.ts";

const saying = (id: string, text: string | undefined) => testSource({ id, instructions: () => text });

test("each source has a section under its name, unless it has no instructions", () => {
  const sources = [saying("a", " Be gentle.\n"), saying("b", undefined), testSource({ id: "c" }), saying("d", "  ")];
  expect(mergeInstructions(sources)).toBe("## a\n\nBe gentle.");
  expect(mergeInstructions([...sources, saying("e", "Be quick.")])).toBe("## a\n\nBe gentle.\n\n## e\n\nBe quick.");
  expect(mergeInstructions([testSource()])).toBeUndefined();
});

test("sources with the same instructions share one section, under all their names", () => {
  const sources = [saying("work", "Be gentle.\n"), saying("other", "Be quick."), saying("home", " Be gentle.")];
  expect(mergeInstructions(sources)).toBe("## work, home\n\nBe gentle.\n\n## other\n\nBe quick.");
});

test("long instructions are cut, and sources that no longer fit are listed by name", () => {
  expect(mergeInstructions([saying("a", "x".repeat(5000))])).toBe(`## a\n\n${"x".repeat(1999)}…`);
  const many = Array.from({ length: 100 }, (_, index) => saying(`s${index}`, `${index} ${"y".repeat(5000)}`));
  const merged = mergeInstructions(many)!;
  expect(merged.length).toBeLessThan(15_000);
  expect(merged).toContain("## s4\n");
  expect(merged).not.toContain("## s6\n");
  expect(merged).toContain("Left out because there is too much text: s5, s6, s7");
});

test("short instructions are included even if those of an earlier source did not fit", () => {
  const long = Array.from({ length: 6 }, (_, index) => saying(`long${index}`, `${index} ${"y".repeat(5000)}`));
  const merged = mergeInstructions([...long, saying("short", "Be quick.")])!;
  expect(merged).toContain("## short\n\nBe quick.");
  expect(merged).toMatch(/Left out because there is too much text: long5\)$/);
});

test("a view of one source has its instructions in full, and every view has the current ones", () => {
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

test("a list has the _meta of its sources, without what they contradict each other in", () => {
  const meta = (id: string, of: Record<string, unknown> | undefined) => testSource({ id, listMeta: () => of });
  const catalog = createCatalog();
  catalog.add(meta("a", { own: 1, same: { x: [1] }, other: 1 }));
  catalog.add(meta("b", { same: { x: [1] }, other: 2, __proto__: null }));
  catalog.add(meta("c", undefined));
  catalog.add(testSource({ id: "d" }));
  expect(catalog.view("all").listMeta("tools")).toEqual({ own: 1, same: { x: [1] } });
  expect(catalog.view({ source: "b" }).listMeta("tools")).toEqual({ same: { x: [1] }, other: 2 });
  expect(catalog.view({ source: "c" }).listMeta("tools")).toBeUndefined();
});
