import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ConversationFiles, openConversationFiles } from "./conversation-files.ts";
import { createSessionKey } from "./session-key.ts";

let folder = "";
let histories: ConversationFiles;
const message = [{ role: "user" as const, content: "hello" }];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "histories-"));
  histories = openConversationFiles(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a conversation is kept under its key, and its key is not in the file's name", async () => {
  await histories.write("secret-key", message);
  expect(await histories.read("secret-key")).toEqual(message);
  expect(await histories.find("other")).toBeUndefined();
  expect(await histories.list()).toMatchObject([{ sessionKey: "secret-key" }]);
  expect((await readdir(folder)).join()).not.toContain("secret");
});

test("a file that can't be read is told by its path, and deleting the conversation mends it", async () => {
  await histories.write("k", message);
  const [name = ""] = await readdir(folder);
  await writeFile(join(folder, name), "{");
  await expect(histories.read("k")).rejects.toMatchObject({ code: "corrupt", message: expect.stringContaining(name) });
  expect(await histories.remove("k")).toBe(true);
  expect(await histories.read("k")).toEqual([]);
});

test("old conversations that nobody named are forgotten, and those that somebody named are not", async () => {
  const [old, fresh] = [createSessionKey(1), createSessionKey(2)];
  for (const key of [old, "named"]) await histories.write(key, message);
  for (const name of await readdir(folder)) await utimes(join(folder, name), 0, 0);
  await histories.write(fresh, message);
  await histories.sweep();
  expect((await histories.list()).map(({ sessionKey }) => sessionKey).toSorted()).toEqual([fresh, "named"].toSorted());
});
