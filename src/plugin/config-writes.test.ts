import { expect, test } from "vitest";
import { silentLog } from "../core/log.ts";
import { createConfigWrites } from "./config-writes.ts";
import type { ConfigEdit, OpenClawConfig } from "./openclaw-api.ts";

function start(fail: () => boolean = () => false) {
  const file: OpenClawConfig = { plugins: { entries: { "mcp-client": { config: { servers: { old: {} } } } } } };
  const written: string[][] = [];
  const writes = createConfigWrites({
    log: silentLog,
    async write({ mutate }: ConfigEdit) {
      if (fail()) throw new Error("OpenClaw reloads the plugin");
      mutate(file);
      written.push(Object.keys(own().servers));
    },
  });
  const own = () => file.plugins?.entries?.["mcp-client"]?.config as { servers: Record<string, unknown> };
  return { writes, written, own };
}

test("a command is answered before what it changes is written, and commands in a row are written together", async () => {
  const { writes, written, own } = start();
  let answer = (): void => {};
  for (const name of ["a", "b", "c"])
    await writes.during(async () => writes.editServers((servers) => ({ ...servers, [name]: {} })));
  const running = writes.during(() => new Promise<void>((resolve) => void (answer = resolve)));
  expect(writes.withEdits(own())).toMatchObject({ servers: { old: {}, a: {}, b: {}, c: {} } });
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(written).toEqual([]);
  answer();
  await running;
  await expect.poll(() => written, { timeout: 30_000 }).toEqual([["old", "a", "b", "c"]]);
});

test("nothing is written while a command is on its way", async () => {
  const { writes, written } = start();
  await writes.during(async () => writes.editServers((servers) => ({ ...servers, a: {} })));
  writes.expect(true);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect(written).toEqual([]);
  await writes.during(async () => writes.editServers((servers) => ({ ...servers, b: {} })));
  await expect.poll(() => written, { timeout: 30_000 }).toEqual([["old", "a", "b"]]);
});

test("what was changed counts until OpenClaw has taken it up, whatever it starts the service with before", async () => {
  const { writes, written } = start();
  writes.editServers(() => ({ a: {} }));
  const before = { servers: { old: {} } };
  writes.takenUp();
  expect(writes.withEdits(before)).toEqual({ servers: { a: {} } });
  await expect.poll(() => written, { timeout: 30_000 }).toHaveLength(1);
  writes.takenUp();
  expect(writes.withEdits(before)).toBe(before);
});

test("a write that fails while OpenClaw reloads the plugin is made again", async () => {
  let attempts = 0;
  const { writes, written } = start(() => ++attempts === 1);
  writes.editServers((servers) => ({ ...servers, a: {} }));
  await expect.poll(() => written, { timeout: 30_000 }).toEqual([["old", "a"]]);
});
