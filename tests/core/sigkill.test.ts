import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { openHome } from "../../src/core/files/home.ts";
import { sleep } from "../../src/core/wait.ts";
import { program } from "../setup/programs.ts";

const child = program("tests/core/state-child.ts");

/** What a killed process had said: the count it found at its start, the last one it held for safe, all complaints. */
interface Life {
  readonly found: number | undefined;
  readonly done: number;
  readonly complaints: readonly string[];
}

/** `after`: the word it must have said before the kill comes, at a random moment of the next 40 ms. */
async function liveAndDie(folder: string, name: string, after: string, env: NodeJS.ProcessEnv): Promise<Life> {
  const victim = spawn(process.execPath, [child, folder, name], { env, stdio: ["ignore", "pipe", "pipe"] });
  const exit = once(victim, "exit");
  const complaints: string[] = [];
  victim.stderr.on("data", (data: Buffer) => complaints.push(data.toString()));
  let [found, done]: [number | undefined, number] = [undefined, 0];
  let isDoomed = false;
  for await (const line of createInterface(victim.stdout)) {
    const [word, value] = line.split(" ");
    if (word === after && !isDoomed) void sleep(Math.random() * 40).then(() => victim.kill("SIGKILL"));
    isDoomed ||= word === after;
    if (word === "found") found = Number(value);
    if (word === "done") done = Number(value);
    if (word === "damaged") complaints.push(line);
  }
  await exit;
  return { found, done, complaints };
}

/** Lives one after the other on the same state; each must find at least what the one before held for safe. */
async function liveOften(folder: string, name: string, lives: number, env: NodeJS.ProcessEnv): Promise<number> {
  let [safe, writes] = [0, 0];
  for (let life = 0; life < lives; life++) {
    const after = life % 3 === 0 ? "ready" : "done";
    const { found, done, complaints } = await liveAndDie(folder, name, after, env);
    expect(complaints).toEqual([]);
    expect(found ?? safe).toBeGreaterThanOrEqual(safe);
    writes += Math.max(0, done - safe);
    safe = Math.max(safe, done);
  }
  return writes;
}

test(
  "200 kills at random moments under writes never leave a state the next start can't read",
  { timeout: 180_000 },
  async () => {
    await using cache = await mkdtempDisposable(join(tmpdir(), "clawport-"));
    const env = { ...process.env, NODE_COMPILE_CACHE: cache.path };
    spawnSync(process.execPath, [child], { env });
    let writes = 0;
    for (let round = 0; round < 10; round++) {
      await using folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
      const path = join(folder.path, "home");
      const lanes = ["a", "b"].map((name) => liveOften(path, name, 10, env));
      for (const count of await Promise.all(lanes)) writes += count;
      await openHome(path);
      const files = await readdir(path, { recursive: true });
      expect(files.filter((name) => /\.tmp$|damaged/.test(name))).toEqual([]);
      const states = files.filter((name) => name.endsWith(".json"));
      for (const state of states) expect(JSON.parse(await readFile(join(path, state), "utf8"))).toBeTypeOf("object");
    }
    expect(writes).toBeGreaterThan(100);
  },
);
