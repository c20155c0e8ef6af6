import { mkdir, mkdtempDisposable, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findConfig } from "./find-config.ts";

test("the named file comes first, then the working folder's, then the state folder's, then none", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  const [cwd, home] = [join(folder.path, "work"), join(folder.path, "home")];
  expect(findConfig({ cwd, home })).toBeUndefined();
  await mkdir(home);
  await writeFile(join(home, "clawport.json5"), "{}");
  expect(findConfig({ cwd, home })).toEqual({ path: join(home, "clawport.json5"), location: "state-folder" });
  await mkdir(cwd);
  await writeFile(join(cwd, "clawport.json5"), "{}");
  expect(findConfig({ cwd, home })).toEqual({ path: join(cwd, "clawport.json5"), location: "working-folder" });
  expect(findConfig({ flag: "x.json5", cwd, home })).toEqual({ path: join(cwd, "x.json5"), location: "flag" });
});

test("in the state folder, the configuration is the owner's", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  const { path: home } = folder;
  const path = join(home, "clawport.json5");
  await writeFile(path, "{}");
  expect(findConfig({ cwd: home, home })).toEqual({ path, location: "state-folder" });
  const link = `${home}-link`;
  await symlink(home, link);
  expect(findConfig({ cwd: link, home })).toEqual({ path, location: "state-folder" });
  await rm(link);
});
