import { join } from "node:path";
import { mkdtempDisposable, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { testSource } from "../../../tests/support/test-source.ts";
import type { Caller } from "../caller.ts";
import { createCatalog } from "../catalog.ts";
import type { CatalogTool } from "../source.ts";
import { openApprovals } from "./approvals.ts";

const caller: Caller = { door: "cli" };

/** The tool `files__write` of a source that is this program. */
function toolOf(program?: string): CatalogTool {
  const catalog = createCatalog();
  const identity = program === undefined ? {} : { identity: () => program };
  catalog.add(testSource({ id: "files", prefix: "files", tools: ["write"], ...identity }));
  return catalog.find("files__write")!;
}

test("a lasting yes is for one configuration and one program, a lasting no for the name", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "approvals-"));
  const open = (config?: string) => openApprovals({ file: join(folder.path, "approvals.json"), config });
  await open().remember(toolOf("npx files"), caller, "always");
  expect(await open().recall(toolOf("npx files"), caller)).toBe("always");
  expect(await open().recall(toolOf("npx other"), caller)).toBeUndefined();
  expect(await open("elsewhere").recall(toolOf("npx files"), caller)).toBeUndefined();

  await open("elsewhere").remember(toolOf("npx files"), caller, "never");
  expect(await open("elsewhere").recall(toolOf("npx files"), caller)).toBe("never");
  expect(await open().recall(toolOf("npx files"), caller)).toBe("always");
  expect(await open("third").recall(toolOf("npx files"), caller)).toBe("never");
  expect(await open().forget("files__write")).toHaveLength(2);
});

test("a question that is held for a call is not shown for another one that got its number", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "approvals-"));
  const file = join(folder.path, "approvals.json");
  const about = { name: "files__write", source: "files", tool: "write", caller: { door: "cli" } as const };
  const call = { ...about, arguments: "{}", reason: "policy", lasting: true };
  const [hub, gateway] = [openApprovals({ file }), openApprovals({ file })];
  const { id } = await hub.addWaiting({ ...call, hash: "one", question: "Write a note?" });
  await rm(file);
  expect((await gateway.addWaiting({ ...call, hash: "other", question: "Delete all?" })).id).toBe(id);
  expect(await hub.show(id)).not.toHaveProperty("text");
  await expect(hub.answer(id, "once")).rejects.toMatchObject({ code: "denied" });
  await hub.hold(id, "Delete all?");
  expect(await hub.show(id)).toMatchObject({ text: "Delete all?" });
});

test("a call that is listed can be shown whole, here and where its question is handed over", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "approvals-"));
  const file = join(folder.path, "approvals.json");
  const about = { name: "files__write", source: "files", tool: "write", caller: { door: "cli" } as const };
  const call = { ...about, arguments: "{", reason: "policy", lasting: true, hash: "one", question: "Write a note?" };
  const [hub, gateway] = [openApprovals({ file }), openApprovals({ file })];
  const adding = hub.addWaiting(call);
  await expect.poll(async () => (await hub.list()).waiting.length, { interval: 1 }).toBe(1);
  expect(await hub.show("1")).toMatchObject({ text: "Write a note?" });
  const { id } = await adding;

  let changes = 0;
  expect(await gateway.show(id)).not.toHaveProperty("text");
  gateway.onChange(() => changes++, "here");
  await gateway.hold(id, "Write a note?");
  expect([changes, await gateway.show(id)]).toEqual([1, expect.objectContaining({ text: "Write a note?" })]);
});

test("an answer reaches a call that waits in the same process without the file, and others through it", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "approvals-"));
  const file = join(folder.path, "approvals.json");
  const about = { name: "files__write", source: "files", tool: "write", caller: { door: "cli" } as const };
  const call = { ...about, arguments: "{}", reason: "policy", lasting: true, isWhole: true, question: "Write?" };
  const [hub, command] = [openApprovals({ file }), openApprovals({ file })];
  const openUntil = Date.now() + 60_000;
  const wait = async (hash: string) => {
    const { id } = await hub.addWaiting({ ...call, hash, openUntil });
    const answers: unknown[] = [];
    hub.onAnswer(id, (answer) => void answers.push(answer));
    return { id, answers };
  };

  const here = await wait("one");
  await hub.answer(here.id, "once", undefined, undefined, "console");
  expect(here.answers).toEqual([{ choice: "once", by: "console" }]);
  expect(await command.list()).toMatchObject({ waiting: [], answered: [] });

  const elsewhere = await wait("two");
  await command.answer(elsewhere.id, "once");
  expect(elsewhere.answers).toEqual([]);
  expect(await hub.takeAnswer(elsewhere.id)).toEqual({ choice: "once", by: "terminal" });
});

test("an answer that another process gives lasts for where the call came from", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "approvals-"));
  const file = join(folder.path, "approvals.json");
  const asking = openApprovals({ file, config: "project" });
  const call = {
    name: "files__write",
    source: "files",
    identity: "npx files",
    tool: "write",
    caller: { door: "cli" } as const,
    hash: "h",
    arguments: "{}",
    reason: "policy",
    lasting: true,
    isWhole: true,
    question: "May it?",
  };
  const { id } = await asking.addWaiting(call);
  const { approval } = await openApprovals({ file }).answer(id, "always", "caller");
  expect(approval).toMatchObject({ config: "project", choice: "always" });
  expect(approval).not.toHaveProperty("source");
  expect(await asking.recall(toolOf("any other"), caller)).toBe("always");
  expect(await openApprovals({ file }).recall(toolOf("npx files"), caller)).toBeUndefined();

  const once = await asking.addWaiting({ ...call, hash: "other" });
  await openApprovals({ file }).answer(once.id, "once");
  expect(await openApprovals({ file }).takeApproval({ ...call, hash: "other" })).toBeUndefined();
  expect(await asking.takeApproval({ ...call, hash: "other" })).toBe("terminal");
});
