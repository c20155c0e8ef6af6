import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { copyFile, mkdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { silentLog } from "../../src/core/log.ts";
import { openListStore } from "../../src/sources/servers/lists/list-store.ts";
import { isWindows } from "../support/cli/run-clawport.ts";
import { until } from "../support/until.ts";
import { makePipe, openSleepy, plain, type Sleepy } from "./open-sleepy.ts";
import { defined } from "../support/start-engine.ts";

const starvedReader = path.join(import.meta.dirname, "fixtures", "starved-reader.ts");
const listFile = (sleepy: Sleepy) => sleepy.file(path.join("lists", sleepy.stored()[0]!));

describe("what is stored of a server", () => {
  test.skipIf(isWindows)("is readable by its owner alone (needs POSIX file modes)", async () => {
    await using sleepy = await openSleepy();
    await sleepy.learn();
    const modes = [sleepy.file("lists"), listFile(sleepy), sleepy.file("lists.key")].map(
      (file) => statSync(file).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });

  test("does not reveal the definition: neither its content nor its name can be guessed from a secret", async () => {
    await using one = await openSleepy();
    await using other = await openSleepy();
    const settings = { command: "node", args: [], env: { TOKEN: "sesame-81274" } };
    const [definition] = await defined({ s: settings });
    const stored = {
      agreement: { era: "legacy", version: "1", capabilities: {}, serverInfo: undefined, instructions: undefined },
      lists: { tools: [], resources: [], templates: [], prompts: [], skills: [] },
      meta: {},
      eraDay: 0,
    } as const;
    for (const { store } of [one, other]) {
      store.save(definition!, stored);
      await store.settled();
    }
    const names = [...one.stored(), ...other.stored()];
    const { fingerprint, name } = definition!;
    const guesses = [fingerprint, JSON.stringify([fingerprint, name])].map((text) =>
      createHash("sha256").update(text).digest("hex").slice(0, 32),
    );
    expect(new Set([...names, ...guesses].map((each) => each.slice(0, 32))).size).toBe(4);
    expect(await readFile(listFile(one), "utf8")).not.toContain("sesame");
    expect(one.store.read(definition!)).toMatchObject({ agreement: { era: "legacy" } });
  });

  test("is not used for a definition that was changed, and not for another name", async () => {
    await using sleepy = await openSleepy();
    await sleepy.learn();
    const [own] = await defined({ s: sleepy.settings() });
    const [changed] = await defined({ s: sleepy.settings({ env: { A: "1" } }) });
    const [renamed] = await defined({ t: sleepy.settings() });
    expect(sleepy.store.read(own!)?.lists.tools).toHaveLength(2);
    expect([sleepy.store.read(changed!), sleepy.store.read(renamed!)]).toEqual([undefined, undefined]);
    await using engine = await sleepy.open({ env: { A: "1" } });
    expect(engine.manager.status("s").state).toBe("ready");
    expect(sleepy.starts()).toHaveLength(2);
    await until(() => sleepy.stored().filter((name) => name.endsWith(".json")).length === 2);
  });

  test("is replaced when the server offers something else, and left alone otherwise", async () => {
    await using sleepy = await openSleepy();
    await sleepy.learn();
    const before = statSync(listFile(sleepy)).ino;
    await using engine = await sleepy.open();
    await engine.call("s__write");
    await engine.manager.close();
    expect(statSync(listFile(sleepy)).ino).toBe(before);
    await sleepy.offer({ tools: [...plain.tools, { name: "extra" }] });
    await using later = await sleepy.open();
    await later.call("s__write");
    await later.manager.close();
    await using last = await sleepy.open();
    expect(last.toolNames()).toContain("s__extra");
    expect(sleepy.stored()).toHaveLength(1);
  });

  test("survives that two processes store it at once", async () => {
    await using sleepy = await openSleepy();
    await Promise.all([sleepy.learn(), sleepy.learn(), sleepy.learn()]);
    expect(sleepy.stored()).toHaveLength(1);
    await using engine = await sleepy.open();
    expect([engine.manager.status("s").state, engine.toolNames().length]).toEqual(["sleeping", 2]);
  });
});

describe("a stored list that can't be used is set aside, and the server is started instead:", () => {
  test.each<[string, (file: string, sleepy: Sleepy) => Promise<unknown>]>([
    ["half a file", (file) => truncate(file, 100)],
    ["an empty file", (file) => truncate(file, 0)],
    ["other JSON", (file) => writeFile(file, "[1]")],
    ["tools without names", (file) => edit(file, (value) => (value.lists.tools = [{ inputSchema: {} }, null]))],
    ["an era that does not exist", (file) => edit(file, (value) => (value.agreement.era = "stone"))],
    ["a huge file", (file) => truncate(file, 9 * 1024 * 1024)],
    ["the list of another server", (file) => edit(file, (value) => (value.id = "0".repeat(64)))],
    ["a folder", async (file) => (await rm(file), mkdir(file))],
    ["a named pipe", async (file) => (await rm(file), makePipe(file))],
    [
      "a link",
      async (file, sleepy) => {
        await copyFile(file, sleepy.file("elsewhere"));
        await rm(file);
        await symlink(sleepy.file("elsewhere"), file);
      },
    ],
  ])("%s", { skip: isWindows }, async (_, spoil) => {
    await using sleepy = await openSleepy();
    await sleepy.learn();
    const file = listFile(sleepy);
    await spoil(file, sleepy);
    await using engine = await sleepy.open();
    expect(engine.toolNames()).toEqual(["s__write", "s__read"]);
    expect(engine.manager.status("s").state).toBe("ready");
    await until(() => existsSync(file));
    const [name] = sleepy.stored();
    expect(sleepy.stored()).toEqual([name, expect.stringContaining(`${name}.damaged-`)]);
  });

  test("a file of another format stays until it is replaced", async () => {
    await using sleepy = await openSleepy();
    await sleepy.learn();
    await edit(listFile(sleepy), (value) => (value.format = 99));
    await sleepy.learn();
    expect(sleepy.stored()).toHaveLength(1);
    expect(JSON.parse(await readFile(listFile(sleepy), "utf8"))).toMatchObject({ format: 1 });
  });

  test.skipIf(isWindows)("a key that is not a file keeps no server from working", async () => {
    await using sleepy = await openSleepy();
    makePipe(sleepy.file("lists.key"));
    await using engine = await sleepy.open();
    expect(engine.toolNames()).toHaveLength(2);
  });

  test("a key that is damaged is made again", async () => {
    await using sleepy = await openSleepy();
    await sleepy.learn();
    await writeFile(sleepy.file("lists.key"), "00");
    await sleepy.learn();
    expect([sleepy.starts().length, sleepy.stored().length]).toEqual([2, 2]);
    await using engine = await sleepy.open();
    expect(engine.manager.status("s").state).toBe("sleeping");
  });

  test("a store that can't be written keeps no server from working", async () => {
    await using sleepy = await openSleepy();
    await writeFile(sleepy.file("lists"), "not a folder");
    await using engine = await sleepy.open();
    expect(engine.toolNames()).toHaveLength(2);
  });
});

test.skipIf(isWindows)("a good file that can't be opened now stays (needs a limit on open files)", async () => {
  await using sleepy = await openSleepy();
  await sleepy.learn();
  const [definition] = await defined({ s: sleepy.settings() });
  const files = [sleepy.file("lists"), sleepy.file("lists.key"), "s", definition!.fingerprint];
  const limited = ["-c", 'ulimit -n 64; exec "$0" "$@"', process.execPath, starvedReader, ...files];
  const { stdout } = await promisify(execFile)("/bin/sh", limited);
  expect(JSON.parse(stdout)).toEqual([2, null, 2]);
  expect(sleepy.stored()).toHaveLength(1);
});

test("a list that is too large is not stored", async () => {
  await using sleepy = await openSleepy({ tools: [{ name: "big", description: "x".repeat(9 * 1024 * 1024) }] });
  await sleepy.learn();
  expect(existsSync(sleepy.file("lists")) ? sleepy.stored() : []).toEqual([]);
  const store = openListStore({ folder: sleepy.file("lists"), keyFile: sleepy.file("lists.key"), log: silentLog });
  const [definition] = await defined({ s: sleepy.settings() });
  expect(store.read(definition!)).toBeUndefined();
});

// oxlint-disable-next-line typescript/no-explicit-any
async function edit(file: string, change: (value: any) => void): Promise<void> {
  const value = JSON.parse(await readFile(file, "utf8"));
  change(value);
  await writeFile(file, JSON.stringify(value));
}
