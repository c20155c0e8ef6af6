import { expect, test } from "vitest";
import { testSource } from "../../tests/support/test-source.ts";
import { createCatalog } from "./catalog.ts";
import { mergeInstructions } from "./merge-instructions.ts";

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

test("all instructions fit 2 KB, in equal shares of which the short ones leave the rest to the others", () => {
  const long = (id: string, letter: string) => saying(id, `${letter.repeat(30)}. `.repeat(200));
  const merged = mergeInstructions([long("a", "x"), saying("short", "Be quick."), long("b", "y")])!;
  expect(Buffer.byteLength(merged)).toBeLessThanOrEqual(2048);
  expect(Buffer.byteLength(merged)).toBeGreaterThan(1900);
  expect(merged).toContain("## short\n\nBe quick.\n\n");
  const [xs, ys] = ["x", "y"].map((letter) => merged.split(letter).length);
  expect(xs).toBe(ys);
  expect(merged).toMatch(/x\.…\n\n## short/);
});

test("sources that no longer fit are listed by name", () => {
  const many = Array.from({ length: 100 }, (_, index) => saying(`s${index}`, `${index} ${"y".repeat(5000)}`));
  const merged = mergeInstructions(many)!;
  expect(Buffer.byteLength(merged)).toBeLessThanOrEqual(2048);
  expect(merged).toContain("## s4\n");
  expect(merged).not.toContain("## s50\n");
  expect(merged).toMatch(/Left out because there is too much text: s\d+, s\d+, .*…\)$/);
});

test("what is cut stays whole characters", () => {
  const merged = mergeInstructions([saying("a", "é".repeat(3000)), saying("b", "🙂".repeat(3000))])!;
  expect(merged).not.toContain("\uFFFD");
  expect(Buffer.byteLength(merged)).toBeLessThanOrEqual(2048);
});

test("any number of sources with names of any length fits", () => {
  for (const count of [1, 2, 7, 30, 500]) {
    const sources = Array.from({ length: count }, (_, index) =>
      saying(`${index}${"n".repeat(63)}`, `${index} z`.repeat(90)),
    );
    expect(Buffer.byteLength(mergeInstructions(sources)!)).toBeLessThanOrEqual(2048);
  }
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
