import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), "utf8");

test("npm runs no script of the package when it is installed, and so has none to warn about", async () => {
  const { scripts } = JSON.parse(await read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };
  const atInstall = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];
  expect(Object.keys(scripts).filter((name) => atInstall.includes(name))).toEqual([]);
});

test("the picture in the README is there, and shows a whole run without the folders of this machine", async () => {
  const picture = (await read("docs/terminal.svg")).replaceAll("&#160;", " ");
  expect(await read("README.md")).toContain("](docs/terminal.svg)");
  for (const part of ["is ready.", "clawport install claude-code", "files__read_text_file"])
    expect(picture).toContain(part);
  expect(picture).not.toMatch(/\/(?:tmp|home|root|work)\//);
});
