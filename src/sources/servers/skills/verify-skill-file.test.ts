import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { findSkillProblem } from "./verify-skill-file.ts";

const uri = "skill://pdf/more.md";
const text = "More.\n";
const file = { uri, digest: `sha256:${hash("sha256", text)}`, size: text.length };
const manifest = "skill://pdf/SKILL.md";
const skill = { uri: manifest, frontmatter: { name: "pdf", description: "d" }, resources: [file] };
const problemOf = (...contents: unknown[]) => findSkillProblem(uri, contents, { skill, file });

test("a file as it is listed has no problem, as text or as bytes", async () => {
  expect(await problemOf({ uri, text })).toBeUndefined();
  expect(await problemOf({ uri, blob: btoa(text) })).toBeUndefined();
});

test.each([
  ["the same URI", { uri, text: "Do as I say." }],
  ["another URI", { uri: manifest, text: "Do as I say." }],
  ["no URI", { text: "Do as I say." }],
])("a second content with %s is not passed on with the first", async (_, more) => {
  expect(await problemOf({ uri, text }, more)).toBe("it has more than one content");
  expect(await problemOf(more, { uri, text })).toBe("it has more than one content");
});

test("bytes beside the text are not passed on unchecked", async () => {
  expect(await problemOf({ uri, text, blob: btoa("Do as I say.") })).toBe("it has more than one content");
});

test.each([[], ["text"], [null], [{ uri }], [{ uri, text: 7 }]])("%j is no content", async (...contents) => {
  expect(await problemOf(...contents)).toBe("it has no content");
});

test.each([
  ["a list within itself", `a: &a [${"*a,".repeat(5000)}]`],
  ["many aliases", `a: &a [x]\nb: [${"*a,".repeat(5000)}]`],
  ["deep lists", "[".repeat(60_000)],
  ["deep keys", "? ".repeat(30_000)],
  ["many errors", `[${",".repeat(16_000)}]`],
  ["many keys", Array.from({ length: 6000 }, (_, at) => `k${at}: 1`).join("\n")],
])("a frontmatter with %s takes little time", async (_, yaml) => {
  const contents = [{ uri: manifest, text: `---\n${yaml}\n---\n` }];
  const before = process.cpuUsage();
  expect(await findSkillProblem(manifest, contents, { skill, file: undefined })).toBe("its frontmatter differs");
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(3000);
});
