import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testSource, testTool } from "../../../tests/support/test-source.ts";
import type { CatalogTool } from "../source.ts";
import { openPins } from "./pins.ts";

async function tempFile(): Promise<AsyncDisposable & { readonly file: string }> {
  const folder = await mkdtemp(join(tmpdir(), "pins-"));
  return {
    file: join(folder, "pins.json"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

const server = testSource({ id: "git" });
function toolWith(description: string, source = server): CatalogTool {
  const tool = testTool("push", { description });
  return { name: "git__push", source, tool, definition: tool };
}

test("a tool is pinned at its first use, and there is no advice until it changes", async () => {
  await using temp = await tempFile();
  const pins = openPins(temp);
  expect(await pins.check(toolWith("a"))).toBeUndefined();
  expect(await pins.check(toolWith("b"))).toBeUndefined();
  const used = toolWith("a");
  pins.pinOnFirstUse(used);
  expect(pins.isKnownUnchanged(used)).toBe(true);
  expect(await pins.check(toolWith("a"))).toBeUndefined();
  const advice = await pins.check(toolWith("b"));
  expect(advice).toMatchObject({
    by: "pin",
    verdict: "ask",
    howTo: expect.stringContaining("clawport approve git__push"),
  });
  expect(advice?.detail).toContain("-   a\n+   b");
});

test("pins outlive the process", async () => {
  await using temp = await tempFile();
  const first = openPins(temp);
  await first.check(toolWith("a"));
  first.pinOnFirstUse(toolWith("a"));
  await first.close();
  const second = openPins(temp);
  expect(await second.check(toolWith("a"))).toBeUndefined();
  expect(await second.check(toolWith("b"))).toMatchObject({ verdict: "ask" });
});

test("a change accepted by a command counts in the running hub; a change back to the old definition asks again", async () => {
  await using temp = await tempFile();
  const hub = openPins(temp);
  await hub.check(toolWith("a"));
  hub.pinOnFirstUse(toolWith("a"));
  expect(await hub.check(toolWith("b"))).toMatchObject({ verdict: "ask" });

  const command = openPins(temp);
  expect(await command.list()).toMatchObject([{ name: "git__push", offered: { text: expect.stringContaining("b") } }]);
  expect(await command.accept("git__push")).toHaveLength(1);
  expect(await command.accept("git__push")).toEqual([]);

  expect(await hub.check(toolWith("b"))).toBeUndefined();
  expect(await hub.check(toolWith("a"))).toMatchObject({ verdict: "ask" });
});

test("`always` makes the new definition the pin; `never` denies that definition and no other", async () => {
  await using temp = await tempFile();
  const pins = openPins(temp);
  await pins.check(toolWith("a"));
  pins.pinOnFirstUse(toolWith("a"));
  await (await pins.check(toolWith("b")))?.remember?.("never");
  expect(await pins.check(toolWith("b"))).toMatchObject({ verdict: "deny" });
  expect(await pins.check(toolWith("a"))).toBeUndefined();
  const change = await pins.check(toolWith("c"));
  expect(change).toMatchObject({ verdict: "ask" });
  await change?.remember?.("always");
  expect(await pins.check(toolWith("c"))).toBeUndefined();
  expect(await pins.check(toolWith("a"))).toMatchObject({ verdict: "ask" });
});

test("if two processes pin different definitions, the first to write wins and the other notices", async () => {
  await using temp = await tempFile();
  const [one, two] = [openPins(temp), openPins(temp)];
  await one.check(toolWith("a"));
  await two.check(toolWith("b"));
  one.pinOnFirstUse(toolWith("a"));
  await one.close();
  two.pinOnFirstUse(toolWith("b"));
  await two.close();
  expect(await two.check(toolWith("b"))).toMatchObject({ verdict: "ask" });
});

test("many first uses at once all reach the file", async () => {
  await using temp = await tempFile();
  const pins = openPins(temp);
  await pins.check(toolWith("a"));
  for (let index = 0; index < 50; index++) pins.pinOnFirstUse(toolWith("a", testSource({ id: `server-${index}` })));
  await pins.close();
  expect(JSON.parse(await readFile(temp.file, "utf8")).pins).toHaveLength(50);
});

test("built-in tools are not pinned", async () => {
  await using temp = await tempFile();
  const pins = openPins(temp);
  const machine = testSource({ id: "machine", kind: "machine" });
  pins.pinOnFirstUse(toolWith("a", machine));
  expect(await pins.check(toolWith("b", machine))).toBeUndefined();
  await pins.close();
  expect(await pins.list()).toEqual([]);
});
