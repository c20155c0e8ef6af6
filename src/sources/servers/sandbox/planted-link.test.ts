import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plantedLink } from "./planted-link.ts";

const home = realpathSync(mkdtempSync(join(tmpdir(), "planted-link-")));
const at = (name: string): string => join(home, name);
for (const name of ["notes/bin", ".ssh", "data"]) mkdirSync(at(name), { recursive: true });
for (const name of [".ssh/id", "notes/bin/tool", "data/file"]) writeFileSync(at(name), "");
symlinkSync(at(".ssh"), at("notes/sub"));
symlinkSync("../.ssh/id", at("notes/.env"));
symlinkSync("bin/tool", at("notes/tool"));
symlinkSync("data", at("linked"));
symlinkSync("notes/sub", at("detour"));

test.skipIf(process.platform === "win32").each([
  ["a link to a folder elsewhere", "notes/sub", "notes/sub"],
  ["a file behind such a link", "notes/sub/id", "notes/sub"],
  ["a link to a file elsewhere", "notes/.env", "notes/.env"],
  ["a link of the user that leads to one of the server", "detour/id", "notes/sub"],
  ["a link that stays in the folder", "notes/tool", undefined],
  ["a file of the folder", "notes/bin/tool", undefined],
  ["a link of the user", "linked/file", undefined],
])("of what a server may write, %s", (_, path, link) => {
  expect(plantedLink(at(path), [at("notes")])).toBe(link && at(link));
});
