import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { until } from "../../../tests/support/until.ts";
import {
  doubtNamespaceLauncher,
  findNamespaceLauncher,
  namespaceWords,
  rememberNamespaceLauncher,
  type NamespaceProgram,
} from "./pid-namespace.ts";
import { startProcessTree } from "./process-tree.ts";

/** A PATH with nothing but a `bwrap` that makes no namespace, counts its runs, and then does what `then` says. */
async function fakeBubblewrap(then = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"') {
  const folder = await mkdtemp(join(tmpdir(), "clawport-bwrap-"));
  const file = join(folder, "bwrap");
  await writeFile(join(folder, "runs"), "");
  await writeFile(file, `#!/bin/sh\necho run >>${folder}/runs\n${then}\n`, { mode: 0o755 });
  const runs = () => readFileSync(join(folder, "runs"), "utf8").split("\n").length - 1;
  return { env: { PATH: folder }, file, memory: join(folder, "memory.json"), runs };
}

const noMemory = "/nowhere/memory.json";
afterEach(() => rememberNamespaceLauncher(noMemory));

describe.runIf(process.platform === "linux")("the way to a PID namespace", () => {
  test("is found out once in a process, however many programs start at the same time", async () => {
    const { env, runs } = await fakeBubblewrap();
    const ways = await Promise.all([1, 2, 3].map(() => findNamespaceLauncher(env)));
    expect(ways.map((way) => way?.name)).toEqual(["bubblewrap", "bubblewrap", "bubblewrap"]);
    expect(runs()).toBe(1);
  });

  test("is remembered for the next process, which starts its programs without finding out again", async () => {
    const { env, memory } = await fakeBubblewrap();
    rememberNamespaceLauncher(memory);
    await findNamespaceLauncher(env);
    await until(async () => (await readFile(memory, "utf8").catch(() => "")) !== "");
    const next = await fakeBubblewrap();
    expect((await findNamespaceLauncher(next.env))?.name).toBe("bubblewrap");
    expect(next.runs()).toBe(0);
  });

  test("is found out again on another system, and if the memory can't be read", async () => {
    const { env, memory, runs } = await fakeBubblewrap();
    await writeFile(memory, JSON.stringify({ system: "another kernel", way: "bubblewrap" }));
    rememberNamespaceLauncher(memory);
    await findNamespaceLauncher(env);
    expect(runs()).toBe(1);
    const other = await fakeBubblewrap();
    rememberNamespaceLauncher(tmpdir());
    expect((await findNamespaceLauncher(other.env))?.name).toBe("bubblewrap");
    expect(other.runs()).toBe(1);
  });

  test("is checked if it was only remembered and a program failed, once", async () => {
    const { env, memory } = await fakeBubblewrap();
    rememberNamespaceLauncher(memory);
    await findNamespaceLauncher(env);
    await until(async () => (await readFile(memory, "utf8").catch(() => "")) !== "");
    const refused = await fakeBubblewrap("exit 1");
    expect(await findNamespaceLauncher(refused.env)).toBeDefined();
    await doubtNamespaceLauncher(refused.env);
    expect(await findNamespaceLauncher(refused.env)).toBeUndefined();
    await doubtNamespaceLauncher(refused.env);
    expect(refused.runs()).toBe(1);
  });

  test("is not taken where the system refuses it, and nothing is remembered of that", async () => {
    const { env, memory } = await fakeBubblewrap("echo 'bwrap: No permissions to create a new namespace' >&2; exit 1");
    rememberNamespaceLauncher(memory);
    expect(await findNamespaceLauncher(env)).toBeUndefined();
    await expect(readFile(memory)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("that was uninstalled since does not keep a program from starting", async () => {
    const { env, file } = await fakeBubblewrap();
    await findNamespaceLauncher(env);
    await rm(file);
    const tree = await startProcessTree({ command: "/bin/sh", args: ["-c", "exit 5"], env: {} }, env);
    expect(await tree.exited).toEqual({ code: 5, signal: null });
    await tree.kill();
  });

  test.each<[string, NamespaceProgram]>([
    ["is told not to", { command: "/bin/sh", pidNamespace: "off" }],
    ["does not exist", { command: "/bin/no-such-program" }],
    ["needs setuid programs", { command: "sudo" }],
  ])("is not used for a program that %s", async (_why, program) => {
    const { env, file } = await fakeBubblewrap();
    await writeFile(join(env.PATH, "sudo"), "", { mode: 0o755 });
    expect(await namespaceWords(program, env, env)).toBeUndefined();
    expect(await namespaceWords({ command: "/bin/sh" }, env, env)).toEqual(expect.arrayContaining([file]));
  });
});
