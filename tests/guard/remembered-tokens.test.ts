import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { openApprovals } from "../../src/catalog/guard/approvals.ts";
import { addNamedToken, removeNamedToken } from "../../src/doors/mcp/named-tokens.ts";
import { hubFiles } from "../../src/hub/state/hub-files.ts";
import { testSource } from "../support/test-source.ts";
import { until } from "../support/until.ts";
import { type StartedHub, startHub } from "../support/start-hub.ts";

const config = { policy: { rules: [{ tool: "files__*", verdict: "ask" }] } };
const sources = () => [testSource({ id: "files", prefix: "files", tools: ["write", "wipe"] })];
const needsApproval = /needs approval, but no one is available/;

/** Answers the one call that waits for good, as a person does with a command. */
async function answer({ home }: StartedHub, choice: "always" | "never"): Promise<void> {
  const approvals = openApprovals({ file: hubFiles.approvals(home) });
  const { waiting } = await approvals.list();
  expect(waiting).toHaveLength(1);
  await approvals.answer(waiting[0]!.id, choice);
}

test("what a person allowed for good is for the token that asked, not for a new one of its name", async () => {
  await using hub = await startHub({ config, sources: sources() });
  const { home } = hub;
  const call = (token: string, tool: string) => hub.callWith(token, tool, {});
  const first = (await addNamedToken({ home }, "a")).reveal();
  await until(async () => needsApproval.test(await call(first, "files__write")));
  await answer(hub, "always");
  expect(await call(first, "files__write")).not.toMatch(needsApproval);
  expect(await call(first, "files__wipe")).toMatch(needsApproval);
  await answer(hub, "never");
  expect(await call(first, "files__wipe")).toContain('an earlier answer was "never"');

  await removeNamedToken({ home }, "a");
  const second = (await addNamedToken({ home }, "a")).reveal();
  await until(async () => !(await call(second, "files__write")).includes("token"));
  expect(await call(second, "files__write")).toMatch(needsApproval);
  // What was refused stays refused: a new name would be as easy to get as a new token.
  expect(await call(second, "files__wipe")).toContain('an earlier answer was "never"');
  await answer(hub, "always");
  expect(await call(second, "files__write")).not.toMatch(needsApproval);
});

test("an answer that an earlier version saved without the token is asked for again; one without a token holds", async () => {
  await using hub = await startHub({ config, sources: sources() });
  const file = hubFiles.approvals(hub.home);
  const at = new Date().toISOString();
  const saved = { name: "files__write", source: "files", tool: "write", choice: "always", at };
  const everyone = { ...saved, name: "files__wipe", tool: "wipe" };
  const approvals = [{ ...saved, caller: { door: "mcp-http", token: "main" } }, everyone];
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ approvals, waiting: [], answered: [], lastId: 0 }), { mode: 0o600 });
  expect(await hub.call("main", "files__write", {})).toMatch(needsApproval);
  expect(await hub.call("main", "files__wipe", {})).not.toMatch(needsApproval);
});
