import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { complaintsOfTasks, taskFiles } from "./honest-tasks.ts";
import { compareServer, type HarmlessCall } from "./compare-server.ts";
import { installServer, type RealName } from "./install-server.ts";
import { type BothWays, openBothWays } from "./open-both-ways.ts";

const names = ["everything", "filesystem", "memory"] as const;
const programs = {} as Record<RealName, { command: string; program: string }>;

beforeAll(async () => {
  for (const name of names) programs[name] = await installServer(name);
}, 240_000);

const open = (): Promise<BothWays> =>
  openBothWays(
    (folder) =>
      Object.fromEntries(
        names.map((name) => {
          const { command, program } = programs[name];
          return [name, { command, args: [program, ...(name === "filesystem" ? [folder] : [])], env: envIn(folder) }];
        }),
      ),
    { "note.txt": "hello\n", ...taskFiles },
  );
const envIn = (folder: string) => ({ MEMORY_FILE_PATH: path.join(folder, "memory.jsonl") });

const calls: Record<RealName, HarmlessCall> = {
  everything: { tool: "get-sum", args: { a: 1, b: 2.5 } },
  filesystem: { tool: "list_allowed_directories" },
  memory: { tool: "search_nodes", args: { query: "crab" } },
};

test("lists and answers of real servers are the same to the byte through a hub, except where the docs say so", async () => {
  await using both = await open();
  for (const name of names) {
    await using hub = await both.hub(name);
    await using direct = both.direct(name);
    const compared = await compareServer(direct, hub, calls[name]);
    expect(compared.filter(({ verdict }) => verdict === "differs")).toEqual([]);
    const documented = compared.flatMap(({ part, verdict }) => (verdict === "documented" ? [part] : []));
    // «everything» has a tool that runs only as a task. «filesystem» is called without fields.
    expect(documented).toEqual({ everything: ["tools", "wrong type"], filesystem: [], memory: ["wrong type"] }[name]);
  }
}, 60_000);

test("tasks with honest servers run without a question or a mark from screening", async () => {
  await using both = await open();
  expect(await complaintsOfTasks(both)).toEqual([]);
}, 60_000);

test("the comparison notices what differs", async () => {
  await using both = await open();
  await using hub = await both.hub("everything");
  await using direct = both.direct("memory");
  const compared = await compareServer(direct, hub, calls.memory);
  const equal = compared.filter(({ verdict }) => verdict !== "differs").map(({ part }) => part);
  // «memory» has no prompt to ask for.
  expect(equal).toEqual(["prompt texts"]);
}, 60_000);
