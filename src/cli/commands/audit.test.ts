import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { memoryWorld } from "../../../tests/support/cli/memory-world.ts";
import { until } from "../../../tests/support/until.ts";
import { type Audit, openAudit } from "../../catalog/audit/audit.ts";
import { type Home, openHome } from "../../core/files/home.ts";
import { hubFiles } from "../../hub/state/hub-files.ts";
import { runCli } from "../run-cli.ts";

let home: Home;
let audit: Audit;
beforeEach(async () => {
  home = await openHome(await mkdtemp(join(tmpdir(), "audit-")));
  audit = openAudit({ file: hubFiles.audit(home) });
});
afterEach(async () => {
  await audit.close();
  await rm(home.path, { recursive: true, force: true });
});

function record(tool: string, outcome = "ok", verdict: "allow" | "deny" = "allow", source = "s"): void {
  const caller = { door: "mcp-http", token: "main", client: "evil\u001B[2J\nclient" } as const;
  audit.record({
    at: Date.UTC(2026, 0, 2),
    caller,
    source,
    tool,
    verdict,
    why: "w",
    ms: 3,
    outcome,
    sizeIn: 1,
    sizeOut: 2,
  });
}

test("the latest calls that match are shown, oldest first", async () => {
  for (let i = 0; i < 30; i++) record(i % 2 === 0 ? `files__read${i}` : `other__read${i}`);
  await audit.close();
  const world = memoryWorld();
  expect(await runCli(["audit", "--home", home.path, "-n", "2", "--tool", "files__*", "--json"], world)).toBe(0);
  const tools = world
    .out()
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { tool: string }).tool);
  expect(tools).toEqual(["files__read26", "files__read28"]);
});

test("tools of different apps are shown with their app", async () => {
  for (const app of ["app:12ab", "app:34cd"]) record("add_note", "ok", "allow", app);
  await audit.close();
  const world = memoryWorld();
  await runCli(["audit", "--home", home.path], world);
  expect(world.out().match(/app:\w+ add_note/g)).toEqual(["app:12ab add_note", "app:34cd add_note"]);
});

test("callers stand below each other, however long the names of tools are", async () => {
  record("read");
  record("files__read_multiple_files_and_folders", "ok", "allow", "app:12ab");
  await audit.close();
  const world = memoryWorld();
  await runCli(["audit", "--home", home.path], world);
  const [heading = "", ...lines] = world.out().trim().split("\n");
  expect(lines.map((line) => line.indexOf("main"))).toEqual([heading.indexOf("CALLER"), heading.indexOf("CALLER")]);
});

test("a client's name can't control the terminal or start a new line", async () => {
  record("files__read", "denied", "deny");
  await audit.close();
  const world = memoryWorld();
  await runCli(["audit", "--home", home.path], world);
  expect(world.out().split("\n")).toHaveLength(3);
  expect(world.out()).toContain("main (evil·[2J·client): w");
});

test("a failed call does not show the reason it was allowed as the reason it failed", async () => {
  record("files__read", "tool-error");
  await audit.close();
  const world = memoryWorld();
  await runCli(["audit", "--home", home.path], world);
  expect(world.out().trimEnd()).toMatch(/client\)$/);
});

test("if no call matches, it says so, not that there were no calls", async () => {
  record("files__read");
  await audit.close();
  const world = memoryWorld();
  await runCli(["audit", "--home", home.path, "--tool", "git__*"], world);
  expect([world.out(), world.err()]).toEqual(["No calls of git__* yet.\n", ""]);
  const program = memoryWorld();
  await runCli(["audit", "--home", home.path, "--tool", "git__*", "--json"], program);
  expect(program.out()).toBe("");
});

test("verify finds the place where the audit was changed, and its exit code says so", async () => {
  await audit.close();
  audit = openAudit({ file: hubFiles.audit(home), chain: true });
  for (const tool of ["one", "two", "three"]) record(tool);
  await audit.close();
  const world = memoryWorld();
  expect(await runCli(["audit", "verify", "--home", home.path], world)).toBe(0);
  expect(world.out()).toMatch(
    /^The chain is unbroken\. Checked 3 lines\. The hash of the last one is [0-9a-f]{32}\.\n$/,
  );
  const file = hubFiles.audit(home);
  await writeFile(file, (await readFile(file, "utf8")).replace('"two"', '"too"'));
  const changed = memoryWorld();
  expect(await runCli(["audit", "verify", "--home", home.path], changed)).toBe(1);
  expect(changed.out().split("\n")).toEqual([
    "calls.jsonl, line 2: this line was changed",
    "The audit is not as it was written: the chain breaks at calls.jsonl, line 2.",
    "",
  ]);
  const program = memoryWorld();
  expect(await runCli(["audit", "verify", "--json", "--home", home.path], program)).toBe(1);
  expect(JSON.parse(program.out())).toMatchObject({
    ok: false,
    lines: 3,
    breaks: [{ file: "calls.jsonl", line: 2, problem: "changed" }],
  });
});

test("verify does not pass an audit whose lines have no hash", async () => {
  record("one");
  await audit.close();
  const world = memoryWorld();
  expect(await runCli(["audit", "verify", "--home", home.path], world)).toBe(1);
  expect(world.out()).toContain("Set `audit.chain` to true");
});

test("--follow shows the latest calls and then each new one until it is stopped", async () => {
  record("one");
  record("two");
  await audit.close();
  audit = openAudit({ file: hubFiles.audit(home) });
  const world = memoryWorld();
  const running = runCli(["audit", "--home", home.path, "--follow", "-n", "1"], world);
  await until(() => world.out().includes("two"));
  record("three");
  await until(() => world.out().includes("three"));
  expect(world.out()).not.toContain("one");
  world.stop();
  expect(await running).toBe(0);
});
