import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { killOrphans } from "../../src/core/process/marked-processes.ts";
import type { ToolResult } from "../../src/mcp/messages/tool.ts";
import { textOf } from "../support/start-guard.ts";
import { until } from "../support/until.ts";
import { openJournal } from "./open-journal.ts";
import { startEngine } from "../support/start-engine.ts";
import { program } from "../setup/programs.ts";

const engineChild = program("tests/servers/fixtures/engine-child.ts");
const pidsIn = (result: ToolResult) => JSON.parse(textOf(result)) as number[];

test("a server sees what a program needs and what it was given, and none of our secrets", async () => {
  await using journal = await openJournal();
  const env = { PATH: process.env.PATH, HOME: "/home/of/ours", OPENAI_API_KEY: "sk-secret", CLAWPORT_HOME: "/h" };
  await using engine = await startEngine({ rogue: { ...journal.server(), env: { GIVEN: "yes" } } }, { env });
  const seen = JSON.parse(textOf(await engine.call("rogue__write", { do: "env" }))) as Record<string, string>;
  expect(seen).toMatchObject({ PATH: process.env.PATH, HOME: "/home/of/ours", GIVEN: "yes" });
  expect(
    Object.keys(seen)
      .filter((name) => !name.startsWith("__"))
      .toSorted(),
  ).toEqual(["CLAWPORT_OWNER", "CLAWPORT_SERVER_RUN", "GIVEN", "HOME", "PATH"]);
});

test.each([
  ["that ends when it is asked to", []],
  ["that ends for nothing but SIGKILL", ["stubborn"]],
])("a server %s leaves nothing it started, in sessions of their own included", async (_title, flags) => {
  await using journal = await openJournal();
  const engine = await startEngine({ rogue: journal.server(...flags) });
  const pids = pidsIn(await engine.call("rogue__write", { do: "spawn" }));
  expect(pids.filter(isAlive)).toEqual(pids);
  // A session of its own begins a moment after the process does.
  await until(() => sessionOf(pids[0]!) !== sessionOf(pids[1]!));
  await engine[Symbol.asyncDispose]();
  expect([...pids, ...journal.pids()].filter(isAlive)).toEqual([]);
});

test("a server that dies by itself leaves nothing either, and is back although a child held its pipes", async () => {
  await using journal = await openJournal();
  await using engine = await startEngine({ rogue: journal.server() });
  const pids = pidsIn(await engine.call("rogue__write", { do: "spawn", keepsStdout: true }));
  await expect(engine.call("rogue__write", { do: "die" })).rejects.toMatchObject({ code: "outcome-unknown" });
  await until(() => pids.every((pid) => !isAlive(pid)));
  expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
});

test("what a process killed with SIGKILL left is swept by the next start, and nobody else's", async () => {
  await using journal = await openJournal();
  await using living = await startEngine({ rogue: journal.server() });
  const mine = pidsIn(await living.call("rogue__write", { do: "spawn" }));
  await using others = await openJournal();
  const wish = { servers: { rogue: others.server("stubborn") }, call: { do: "spawn" } };
  const child = spawn(process.execPath, [engineChild, JSON.stringify(wish)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const theirs = [...pidsIn((JSON.parse(line) as ToolResult[])[0]!), ...others.pids()];
  expect(theirs.filter(isAlive)).toEqual(theirs);
  child.kill("SIGKILL");
  await once(child, "exit");

  // Any other process of ours that ends a server now sweeps them too, so that they are not counted.
  killOrphans();
  await until(() => theirs.every((pid) => !isAlive(pid)));
  expect(mine.filter(isAlive)).toEqual(mine);
  expect(textOf(await living.call("rogue__write"))).toBe("write ran");
});

test("a server that runs a hub of its own leaves nothing of that either, though the hub had to be killed", async () => {
  await using journal = await openJournal();
  await using inner = await openJournal();
  const engine = await startEngine({ outer: journal.server() });
  const wish = { servers: { rogue: inner.server("stubborn") }, call: { do: "spawn" } };
  const args = [engineChild, JSON.stringify(wish)];
  await engine.call("outer__write", { do: "run", command: process.execPath, args });
  await until(() => inner.count("run write") === 1);
  await engine[Symbol.asyncDispose]();
  await until(() => inner.pids().every((pid) => !isAlive(pid)));
  expect(inner.pids()).toHaveLength(1);
});

/** A zombie is dead: it only waits to be counted by whoever started it. */
function isAlive(pid: number): boolean {
  return !["", "Z", "X"].includes(statOf(pid)[0] ?? "");
}

function sessionOf(pid: number): string | undefined {
  return statOf(pid)[3];
}

function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}
