import { join } from "node:path";
import { mkdtempDisposable } from "node:fs/promises";
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
