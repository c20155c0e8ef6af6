import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ConversationFiles, openConversationFiles } from "./conversation-files.ts";
import { createSessionKey } from "./session-key.ts";

let folder = "";
let conversations: ConversationFiles;
const message = [{ role: "user" as const, content: "hello" }];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "conversations-"));
  conversations = openConversationFiles(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a conversation is stored under its key, and the file's name does not show the key", async () => {
  await conversations.write("secret-key", message);
  expect(await conversations.read("secret-key")).toEqual(message);
  expect(await conversations.find("other")).toBeUndefined();
  expect(await conversations.list()).toMatchObject([{ sessionKey: "secret-key" }]);
  expect((await readdir(folder)).join()).not.toContain("secret");
});

test("an unreadable file is reported with its path, and deleting the conversation helps", async () => {
  await conversations.write("k", message);
  const [name = ""] = await readdir(folder);
  await writeFile(join(folder, name), "{");
  await expect(conversations.read("k")).rejects.toMatchObject({
    code: "corrupt",
    message: expect.stringContaining(name),
  });
  expect(await conversations.remove("k")).toBe(true);
  expect(await conversations.read("k")).toEqual([]);
});

test("old conversations without a session key are deleted, those with one are not", async () => {
  const [old, fresh] = [createSessionKey(1), createSessionKey(2)];
  for (const key of [old, "named"]) await conversations.write(key, message);
  for (const name of await readdir(folder)) await utimes(join(folder, name), 0, 0);
  await conversations.write(fresh, message);
  await conversations.sweep();
  expect((await conversations.list()).map(({ sessionKey }) => sessionKey).toSorted()).toEqual(
    [fresh, "named"].toSorted(),
  );
});
