import { expect, test } from "vitest";
import { isSkill, skillRoot } from "./skill.ts";

const uri = "skill://acme/pdf/SKILL.md";
const digest = `sha256:${"0".repeat(64)}`;
const file = (name: string, size: unknown = 1) => ({ uri: `skill://acme/pdf/${name}`, digest, size });
const skill = (parts: object = {}) => ({
  uri,
  frontmatter: { name: "pdf", description: "Reads PDF files" },
  resources: [file("SKILL.md"), file("references/FORMS.md"), file("a..b/.c")],
  ...parts,
});

test("a skill with its files, or with files that are made up as they are read", () => {
  expect(isSkill(skill())).toBe(true);
  expect(isSkill(skill({ resources: "dynamic" }))).toBe(true);
  expect(skillRoot(skill())).toBe("skill://acme/pdf");
});

test.each([
  ["no object", 7],
  ["another file", skill({ uri: "skill://acme/pdf/README.md" })],
  ["no directory", skill({ uri: "skill:///SKILL.md" })],
  ["no name", skill({ frontmatter: { description: "d" } })],
  ["no files", skill({ resources: undefined })],
  ["no SKILL.md among its files", skill({ resources: [file("a.md")] })],
  ["a file twice", skill({ resources: [file("SKILL.md"), file("SKILL.md")] })],
  ["a file outside", skill({ resources: [file("SKILL.md"), { ...file("a"), uri: "skill://acme/other/a" }] })],
  ["a way out", skill({ resources: [file("SKILL.md"), file("../other/a")] })],
  ["an encoded way out", skill({ resources: [file("SKILL.md"), file("x/%2E%2e/a")] })],
  ["a directory", skill({ resources: [file("SKILL.md"), file("x/")] })],
  ["a query", skill({ resources: [file("SKILL.md"), file("x?y")] })],
  ["a wrong digest", skill({ resources: [{ ...file("SKILL.md"), digest: "md5:0" }] })],
  ["a wrong size", skill({ resources: [file("SKILL.md", -1)] })],
])("not a skill: %s", (_, value) => {
  expect(isSkill(value)).toBe(false);
});
