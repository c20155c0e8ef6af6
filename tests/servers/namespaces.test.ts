import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../src/core/process/run-command.ts";
import { startHub } from "../support/cli/run-clawport.ts";
import { placeWith, runHere } from "../support/cli/test-home.ts";
import { pidsRunning } from "../support/running-commands.ts";
import { textOf } from "../support/start-guard.ts";
import { until } from "../support/until.ts";
import { allowedWays, noWay } from "./namespace-ways.ts";
import { type Journal, openJournal } from "./open-journal.ts";
import { startEngine } from "../support/start-engine.ts";
import { program } from "../setup/programs.ts";

const ways = await allowedWays();
const engineChild = program("tests/servers/fixtures/engine-child.ts");
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

const inNamespace = (journal: Journal, ...flags: string[]) => ({
  ...journal.server(...flags),
  pidNamespace: "auto" as const,
});

/** Makes a server start `env -i setsid sleep`, which keeps neither its group nor its environment. */
function hidden(): { readonly time: string; readonly call: { do: string; command: string; args: string[] } } {
  const time = `600.${Math.floor(Math.random() * 1e12)}`;
  return { time, call: { do: "run", command: "env", args: ["-i", "setsid", "sleep", time] } };
}

describe.each(ways)("a server in a PID namespace by $name", (way) => {
  const env = { PATH: way.path };

  test.each([
    ["that exits when its input ends", []],
    ["that exits at SIGTERM", ["waits-for-sigterm"]],
    ["that has to be killed", ["stubborn"]],
  ])("%s leaves nothing behind when it is disconnected, not even `env -i setsid sleep`", async (_title, flags) => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: inNamespace(journal, ...flags) }, { env });
    const { time, call } = hidden();
    await engine.call("rogue__write", call);
    await until(() => pidsRunning(time).length > 0);
    await engine.manager.apply([]);
    expect(pidsRunning(time)).toEqual([]);
    expect(journal.count("SIGTERM")).toBe(flags.includes("waits-for-sigterm") ? 1 : 0);
  });

  test("leaves nothing behind when it exits by itself", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: inNamespace(journal) }, { env });
    const { time, call } = hidden();
    await engine.call("rogue__write", call);
    await until(() => pidsRunning(time).length > 0);
    await expect(engine.call("rogue__write", { do: "die" })).rejects.toThrow("(exit code 1)");
    await until(() => pidsRunning(time).length === 0);
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
  });

  test.each(isRoot ? [{ uid: nobody, gid: nobody }, {}] : [{}])(
    "leaves nothing behind when the hub is killed with SIGKILL (%j)",
    async (user) => {
      await using journal = await openJournal();
      // The folder for the temporary files of this run, and the one in it.
      await chmod(tmpdir(), 0o711);
      await chmod(path.dirname(journal.file), 0o777);
      await chmod(journal.file, 0o666);
      const { time, call } = hidden();
      const task = { servers: { rogue: inNamespace(journal, "stubborn") }, call, path: way.path };
      const child = spawn(process.execPath, [engineChild, JSON.stringify(task)], {
        stdio: ["ignore", "pipe", "inherit"],
        ...user,
      });
      await once(createInterface({ input: child.stdout }), "line");
      await until(() => pidsRunning(time).length > 0);
      child.kill("SIGKILL");
      expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
      await until(() => pidsRunning(time).length === 0);
    },
  );

  test("is started as without: user, folder, signals, limits and arguments are the same", async () => {
    await using journal = await openJournal();
    const cwd = path.dirname(journal.file);
    const server = { ...journal.server("an argument", "", "-x"), cwd };
    await using engine = await startEngine({ a: { ...server, pidNamespace: "auto" }, b: server }, { env });
    const [a, b] = await Promise.all(["a", "b"].map((name) => engine.call(`${name}__write`, { do: "facts" })));
    expect(JSON.parse(textOf(a!))).toEqual(JSON.parse(textOf(b!)));
    // It has a namespace: its own pid is another one there.
    const [inside, outside] = [engine.manager.status("a").pid!, engine.manager.status("b").pid!];
    expect(journal.pids()).toContain(outside);
    expect(journal.pids()).not.toContain(inside);
    expect(pidsRunning(journal.file)).toEqual(expect.arrayContaining([inside, outside]));
  });

  test("is reported by the signal that killed it, and by its exit code", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: inNamespace(journal) }, { env });
    const itself = engine.call("rogue__write", { do: "signal-itself", signal: "SIGABRT" });
    await expect(itself).rejects.toThrow("(killed by SIGABRT)");
    process.kill(engine.manager.status("rogue").pid ?? (await connected(engine)), "SIGKILL");
    await until(() => engine.manager.status("rogue").lastError?.includes("killed by SIGKILL") === true);
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
  });

  test("has no namespace if its settings say so, and if a shell would drop one of its variables", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine(
      {
        off: { ...journal.server("1"), pidNamespace: "off" },
        odd: { ...inNamespace(journal, "2"), env: { "odd.name": "kept" } },
      },
      { env },
    );
    expect(journal.pids()).toContain(engine.manager.status("off").pid);
    const seen = textOf(await engine.call("odd__write", { do: "env" }));
    expect(JSON.parse(seen)).toMatchObject({ "odd.name": "kept" });
  });

  test("sees what a program needs, what it was given, and the folder it is in", async () => {
    await using journal = await openJournal();
    const given = { ...env, HOME: "/home/of/ours", OPENAI_API_KEY: "sk-secret" };
    await using engine = await startEngine(
      { rogue: { ...inNamespace(journal), env: { GIVEN: "yes" } } },
      { env: given },
    );
    const seen = JSON.parse(textOf(await engine.call("rogue__write", { do: "env" }))) as Record<string, string>;
    const names = Object.keys(seen).filter((name) => !/^(?:__.*|_|SHLVL|OLDPWD|PWD)$/.test(name));
    expect(names.toSorted()).toEqual(["CLAWPORT_OWNER", "CLAWPORT_SERVER_RUN", "GIVEN", "HOME", "PATH"]);
    expect(seen).toMatchObject({ PATH: way.path, HOME: "/home/of/ours", GIVEN: "yes" });
    // Bubblewrap sets it, a shell does unless it is told not to.
    expect(seen["PWD"] ?? process.cwd()).toBe(process.cwd());
  });

  test("that does not exist, or whose folder does not, is reported as without", async () => {
    const program = path.join(import.meta.dirname, "no-such-program");
    const servers = {
      none: { command: "no-such-command" },
      gone: { command: program },
      place: { command: process.execPath, cwd: "/no/such/folder" },
    };
    await using engine = await startEngine(servers, { env });
    const error = (name: string) => engine.manager.status(name).lastError;
    expect(error("none")).toContain('The command "no-such-command" was not found.');
    expect(error("gone")).toContain("was not found.");
    expect(error("place")).toContain('The server\'s folder "/no/such/folder" does not exist.');
  });

  test("a command that is run once leaves nothing behind either", async () => {
    const { time } = hidden();
    const script = `env -i setsid sleep ${time} >/dev/null 2>&1 & echo started`;
    const limits = { env, signal: AbortSignal.timeout(10_000), timeoutMs: 10_000, maxOutputBytes: 1000 };
    const program = { command: "/bin/sh", args: ["-c", script], env: {} };
    expect((await runCommand(program, limits)).toString()).toBe("started\n");
    await until(() => pidsRunning(time).length === 0);
  });
});

test.runIf(ways.length > 0)(
  "`env -i setsid sleep` survives neither `clawport disconnect` nor the end of the hub by SIGKILL",
  { timeout: 60_000 },
  async () => {
    await using journal = await openJournal();
    await using place = await placeWith({ rogue: inNamespace(journal) });
    const here = async (...words: string[]) => (await runHere(place, words)).exit;
    const start = async () => {
      const { time, call } = hidden();
      await until(async () => (await here("call", "rogue__write", JSON.stringify(call))) === 0);
      await until(() => pidsRunning(time).length > 0);
      return time;
    };
    await using hub = await startHub(place, "--port", "0");
    const first = await start();
    expect(await here("disconnect", "rogue")).toBe(0);
    expect(pidsRunning(first)).toEqual([]);
    expect(await here("connect", "rogue")).toBe(0);
    const second = await start();
    hub.child.kill("SIGKILL");
    await until(() => pidsRunning(second).length === 0);
    expect(JSON.parse(await readFile(path.join(place.home, "pid-namespace.json"), "utf8"))).toHaveProperty("way");
  },
);

test.runIf(process.platform === "linux")(
  "where the system allows no namespace, servers run as well, and what kept its environment is ended",
  async () => {
    await using journal = await openJournal();
    const { path: bare } = await noWay();
    const engine = await startEngine({ rogue: inNamespace(journal) }, { env: { PATH: bare } });
    expect(journal.pids()).toEqual([engine.manager.status("rogue").pid]);
    const { time } = hidden();
    await engine.call("rogue__write", { do: "run", command: "setsid", args: ["sleep", time] });
    await until(() => pidsRunning(time).length > 0);
    await engine[Symbol.asyncDispose]();
    expect(pidsRunning(time)).toEqual([]);

    await using place = await placeWith({ rogue: inNamespace(journal) });
    const { out } = await runHere({ ...place, env: { ...place.env, PATH: bare } }, ["doctor"]);
    expect(out).toContain("this system allows no PID namespaces: what a server starts may outlive it");
  },
);

/** The pid of the server, once it is connected again. */
async function connected(engine: Awaited<ReturnType<typeof startEngine>>): Promise<number> {
  await engine.manager.refresh("rogue");
  return engine.manager.status("rogue").pid!;
}
