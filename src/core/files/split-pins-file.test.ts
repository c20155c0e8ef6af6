import { mkdir, mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openHome } from "./home.ts";
import { serverFileName } from "./server-file-name.ts";

const pin = { name: "git__push", source: "git", tool: "push", hash: "h", text: "t", at: "2026-01-01T00:00:00.000Z" };

test("the pins of all servers in one file become one file for each server, whichever version the folder has", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  const guard = join(folder.path, "guard");
  await mkdir(guard);
  const pins = [pin, { ...pin, source: "Files", offered: { hash: "i", text: "u" }, refused: "i" }, { source: 1 }];
  await writeFile(join(guard, "pins.json"), JSON.stringify({ pins }));
  await writeFile(join(folder.path, "version.json"), '{"version":1}');
  const home = await openHome(folder.path);
  const read = async (name: string) => JSON.parse(await readFile(home.file("guard", "pins", name), "utf8"));
  const { kind, id, ...rest } = (await read("git.json")).pins[0];
  expect([kind, id, rest]).toEqual(["tool", "push", { hash: "h", text: "t", at: pin.at, name: "git__push" }]);
  expect(await read(serverFileName("Files"))).toMatchObject({
    server: "Files",
    isListed: false,
    pins: [{ offered: { hash: "i", text: "u", at: pin.at }, refused: "i" }],
  });
  expect(await readdir(guard)).toEqual(["pins", "pins.json.split"]);
  await openHome(folder.path);
  expect(JSON.parse(await readFile(home.file("version.json"), "utf8"))).toEqual({ version: 2 });
});

test.each([
  ["git", /^git\.json$/],
  ["a.b-c_1", /^a\.b-c_1\.json$/],
  ["Git", /^git~[0-9a-f]{8}\.json$/],
  ["con", /^con~[0-9a-f]{8}\.json$/],
  ["../x", /^_x~[0-9a-f]{8}\.json$/],
])("the file of the server %j is %s", (server, expected) => {
  expect(serverFileName(server)).toMatch(expected);
});
