import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { expect, test, vi } from "vitest";
import { installPackage } from "../../conformance/install-package.ts";
import manifest from "../../package.json" with { type: "json" };
import { root, runNpm } from "./pack.ts";
import { runLong } from "./run-long.ts";

vi.setConfig({ testTimeout: 300_000 });

/** The types of the oldest Node. */
const typesVersion = "22.19.21";

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), "utf8");

test("npm runs no script of the package when it is installed, and so has none to warn about", () => {
  const atInstall = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];
  expect(Object.keys(manifest.scripts).filter((name) => atInstall.includes(name))).toEqual([]);
});

test("the picture in the README is there, and shows a whole run without the folders of this machine", async () => {
  const picture = (await read("docs/terminal.svg")).replaceAll("&#160;", " ");
  expect(await read("README.md")).toContain("](docs/terminal.svg)");
  for (const part of ["is ready.", "clawport install claude-code", "files__read_text_file"])
    expect(picture).toContain(part);
  expect(picture).not.toMatch(/\/(?:tmp|home|root|work)\//);
});

test("the package says where its source and its issues are", () => {
  const { homepage, bugs, repository } = manifest;
  const home = homepage.replace("#readme", "");
  expect({ bugs, repository }).toEqual({ bugs: `${home}/issues`, repository: { type: "git", url: `git+${home}.git` } });
});

test("the pages name the oldest Node as package.json does", async () => {
  const oldest = manifest.engines.node.replace(">=", "");
  const named = (await Promise.all(["README.md", "docs/proxy.md", "docs/clients.md"].map(read))).map((page) =>
    [...page.matchAll(/\bNode,? (2\d\.\d+)\b/g)].map(([, version]) => version),
  );
  for (const versions of named) expect([...new Set(versions)]).toEqual([oldest]);
});

test("every link of a packed page leads to a packed file", async () => {
  const { out } = await runNpm(["pack", "--dry-run", "--ignore-scripts", "--json", "--silent"], root);
  const [{ files }] = JSON.parse(out) as [{ files: readonly { path: string }[] }];
  const packed = new Set(files.map(({ path }) => path));
  const dead: string[] = [];
  for (const page of [...packed].filter((path) => path.endsWith(".md"))) {
    const text = (await read(page)).replaceAll(/^```[\s\S]*?^```|`[^`\n]*`/gm, "");
    for (const [, link] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g))
      if (!/^[a-z]+:/.test(link!) && !packed.has(posix.join(posix.dirname(page), link!))) dead.push(`${page}: ${link}`);
  }
  expect(dead).toEqual([]);
});

test("the source uses nothing of Node that is newer than the oldest one", async () => {
  const types = dirname(await installPackage("@types/node", typesVersion, "types-oldest"));
  const config = join(root, ".cache", "types-oldest", "tsconfig.json");
  await writeFile(
    config,
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: { typeRoots: [types] },
      include: [join(root, "src")],
      exclude: [join(root, "src/**/*.test.ts"), join(root, "src/**/*.contract.ts")],
    }),
  );
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  expect(typesVersion.startsWith(manifest.engines.node.replace(">=", ""))).toBe(true);
  expect((await runLong(process.execPath, [tsc, "-p", config], { cwd: root })).out).toBe("");
});
