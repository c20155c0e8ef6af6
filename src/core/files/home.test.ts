import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtempDisposable, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLog } from "../log.ts";
import { formatMark, ownMark } from "../process/process-mark.ts";
import { type Migration, openHome } from "./home.ts";
import { resolveHome } from "./resolve-home.ts";

const makeFolder = () => mkdtempDisposable(join(tmpdir(), "clawport-"));
const recordTo = (lines: string[]) => createLog({ level: "debug", format: "human", write: (line) => lines.push(line) });

test.each([
  [{ flag: "/f", env: { CLAWPORT_HOME: "/c", OPENCLAW_STATE_DIR: "/o" } }, "/f"],
  [{ env: { CLAWPORT_HOME: "/c", OPENCLAW_STATE_DIR: "/o" } }, "/c"],
  [{ env: { CLAWPORT_HOME: "", OPENCLAW_STATE_DIR: "/o" } }, "/o/mcp"],
  [{ env: {} }, "/home/me/.openclaw/mcp"],
  [{ flag: "~/x", env: {} }, "/home/me/x"],
  [{ env: { OPENCLAW_STATE_DIR: "~" } }, "/home/me/mcp"],
  [{ env: { OPENCLAW_HOME: "/o" } }, "/o/.openclaw/mcp"],
  [{ env: { OPENCLAW_HOME: "~/o", OPENCLAW_STATE_DIR: " " } }, "/home/me/o/.openclaw/mcp"],
  [{ env: { OPENCLAW_HOME: "/o", OPENCLAW_STATE_DIR: "~/s" } }, "/o/s/mcp"],
  [{ env: { OPENCLAW_HOME: "/o", OPENCLAW_STATE_DIR: "/s" } }, "/s/mcp"],
])("the state folder for %j is %s", (choice, expected) => {
  expect(resolveHome({ ...choice, homedir: "/home/me" })).toBe(expected);
});

test("a new state folder is owner-only and has a version", async () => {
  await using folder = await makeFolder();
  const home = await openHome(join(folder.path, "a", "b"));
  expect((await stat(home.path)).mode & 0o777).toBe(0o700);
  expect(JSON.parse(await readFile(home.file("version.json"), "utf8"))).toEqual({ version: 2 });
});

test("a folder that others can read is closed, with a warning", async () => {
  await using folder = await makeFolder();
  await chmod(folder.path, 0o755);
  const lines: string[] = [];
  await openHome(folder.path, { log: recordTo(lines) });
  expect((await stat(folder.path)).mode & 0o777).toBe(0o700);
  expect(lines.join()).toMatch(/warn .*was=755/);
});

test("a folder that all users share is refused and left open", async () => {
  await using folder = await makeFolder();
  await chmod(folder.path, 0o1777);
  await expect(openHome(folder.path)).rejects.toMatchObject({ code: "usage" });
  expect((await stat(folder.path)).mode & 0o1777).toBe(0o1777);
});

test("a file in the folder's place is a fault that names --home", async () => {
  await using folder = await makeFolder();
  await writeFile(join(folder.path, "x"), "");
  await expect(openHome(join(folder.path, "x"))).rejects.toThrow(/--home/);
});

test("no path leads out of the state folder", async () => {
  await using folder = await makeFolder();
  const home = await openHome(folder.path);
  expect(home.file("tokens", "a.json")).toBe(join(folder.path, "tokens", "a.json"));
  expect(home.file("..a")).toBe(join(folder.path, "..a"));
  for (const parts of [[".."], ["a", "../../b"], ["."]]) expect(() => home.file(...parts)).toThrow(/state folder/);
});

test("a folder of a newer version is refused with what to do, and left as it is", async () => {
  await using folder = await makeFolder();
  await writeFile(join(folder.path, "version.json"), '{"version":7}');
  await expect(openHome(folder.path)).rejects.toThrow(/newer Clawport.*npm install -g clawport@latest/);
  expect(await readFile(join(folder.path, "version.json"), "utf8")).toBe('{"version":7}');
});

test.each(["", "{", "\0\0", '{"version":"1"}', "null"])(
  "a damaged version file %j is set aside, and the start goes on",
  async (text) => {
    await using folder = await makeFolder();
    await writeFile(join(folder.path, "version.json"), text);
    await writeFile(join(folder.path, "data.json"), "kept");
    const lines: string[] = [];
    await openHome(folder.path, { log: recordTo(lines) });
    const [aside = ""] = (await readdir(folder.path)).filter((name) => name.startsWith("version.json.damaged-"));
    expect(await readFile(join(folder.path, aside), "utf8")).toBe(text);
    expect(await readFile(join(folder.path, "data.json"), "utf8")).toBe("kept");
    expect(lines.join()).toMatch(/error .*damaged/);
  },
);

function step(to: number, ran: number[], fail = false): Migration {
  return {
    to,
    run: async () => {
      if (fail) throw new Error("disk full");
      ran.push(to);
    },
  };
}

test("missing migrations run once, in order", async () => {
  await using folder = await makeFolder();
  await openHome(folder.path, { migrations: [] });
  const ran: number[] = [];
  await openHome(folder.path, { migrations: [step(3, ran)] });
  const migrations = [step(3, ran), step(4, ran), step(5, ran)];
  await Promise.all([openHome(folder.path, { migrations }), openHome(folder.path, { migrations })]);
  expect(ran).toEqual([3, 4, 5]);
});

test("a migration that fails stops the start, and the next start continues there", async () => {
  await using folder = await makeFolder();
  const ran: number[] = [];
  const broken = [step(3, ran), step(4, ran, true)];
  await expect(openHome(folder.path, { migrations: broken })).rejects.toThrow("disk full");
  await openHome(folder.path, { migrations: [step(3, ran), step(4, ran)] });
  expect(ran).toEqual([3, 4]);
});

test("drafts of writers that died are swept, those of living ones and other files stay", async () => {
  await using folder = await makeFolder();
  const own = ownMark("/proc");
  const { pid } = spawnSync(process.execPath, ["-e", "0"]);
  const dead = `.a.json.${formatMark({ ...own, pid })}.1.tmp`;
  const reused = `.a.json.${formatMark({ ...own, start: "1" })}.2.tmp`;
  const alive = `.a.json.${formatMark(own)}.3.tmp`;
  const elsewhere = `.a.json.${formatMark({ ...own, place: "otherplace" })}.4.tmp`;
  await mkdir(join(folder.path, "tokens"));
  for (const name of [dead, reused, alive, elsewhere, ".other.tmp", join("tokens", dead)]) {
    await writeFile(join(folder.path, name), "");
  }
  await openHome(folder.path);
  const left = await readdir(folder.path, { recursive: true });
  expect(left.filter((name) => name.endsWith(".tmp")).sort()).toEqual([alive, elsewhere, ".other.tmp"].sort());
});
