import { existsSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { isAlive } from "../support/cli/test-home.ts";
import { textOf } from "../support/start-guard.ts";
import type { Source } from "../../src/catalog/source.ts";
import { testContext } from "../support/test-source.ts";
import { until } from "../support/until.ts";
import { openRogueHttp } from "./fixtures/rogue-http.ts";
import { openJournal } from "./open-journal.ts";
import { openSleepy, plain } from "./open-sleepy.ts";
import { type Engine, startEngine } from "../support/start-engine.ts";

const sourceOf = ({ catalog }: Engine) => catalog.sources().find(({ id }) => id === "s") as Source;
const stateOf = (engine: Engine, name = "s") => engine.manager.status(name).state;

describe("a stdio server whose lists are stored", () => {
  test("is listed without being started, and starts once for all first calls", async () => {
    await using sleepy = await openSleepy({ ...plain, instructions: "Be brief." });
    await sleepy.learn();
    await using engine = await sleepy.open();
    const source = sourceOf(engine);
    expect(engine.toolNames()).toEqual(["s__write", "s__read"]);
    expect([source.instructions!(), source.resources!(), source.prompts!()]).toMatchObject([
      "Be brief.",
      [{ uri: "sleepy://one" }],
      [{ name: "greet" }],
    ]);
    expect(source.connecting!()).toBeUndefined();
    expect(engine.manager.status("s")).toMatchObject({
      state: "sleeping",
      tools: 2,
      resources: 1,
      prompts: 1,
      era: "modern",
      serverInfo: { name: "sleepy" },
    });
    expect(sleepy.starts()).toHaveLength(1);
    const answers = await Promise.all(Array.from({ length: 8 }, () => engine.call("s__write")));
    const [, pid] = sleepy.starts();
    expect(answers.map(textOf)).toEqual(answers.map(() => String(pid)));
    expect([sleepy.starts().length, sleepy.runs("write")]).toEqual([2, 8]);
    // Once at each start.
    expect(sleepy.lists()).toBe(2);
    expect(engine.manager.status("s")).toMatchObject({ state: "ready", pid });
  });

  test.each<[string, (engine: Engine) => Promise<unknown>]>([
    ["a resource is read", (engine) => sourceOf(engine).readResource!("sleepy://one", testContext())],
    ["a resource is watched", (engine) => sourceOf(engine).watchResource!("sleepy://one", () => {})],
    ["a prompt is requested", (engine) => sourceOf(engine).getPrompt!("greet", {}, testContext())],
    ["it is refreshed", ({ manager }) => manager.refresh("s")],
  ])("starts when %s", async (_, use) => {
    await using sleepy = await openSleepy();
    await sleepy.learn();
    await using engine = await sleepy.open();
    await use(engine);
    expect(stateOf(engine)).toBe("ready");
    expect(sleepy.starts()).toHaveLength(2);
  });

  test("starts at once with `start: eager`, and is then never stopped for being idle", async () => {
    await using sleepy = await openSleepy();
    await sleepy.learn({ start: "eager", idleStop: 1 });
    await using engine = await sleepy.open({ start: "eager", idleStop: 1 });
    await until(() => stateOf(engine) === "ready");
    expect(sleepy.starts()).toHaveLength(2);
    await engine.call("s__write");
    // It sleeps if it is not eager, as the control shows.
    await using control = await openSleepy();
    await using other = await control.open({ idleStop: 1 });
    await until(() => stateOf(other) === "sleeping");
    expect(engine.manager.status("s")).toMatchObject({ state: "ready", pid: sleepy.starts()[1] });
  });

  test("reports a failed start to the call, and the next call tries again", async () => {
    await using sleepy = await openSleepy();
    await sleepy.learn();
    await using engine = await sleepy.open();
    await rename(sleepy.file("offered.json"), sleepy.file("gone.json"));
    await expect(engine.call("s__write")).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/^s: /),
    });
    expect(engine.toolNames()).toEqual(["s__write", "s__read"]);
    await rename(sleepy.file("gone.json"), sleepy.file("offered.json"));
    await until(async () =>
      engine.call("s__read").then(
        () => true,
        () => false,
      ),
    );
    expect(sleepy.runs("write")).toBe(0);
  });

  test("that is killed while it starts is started again for the call that waits, which runs once", async () => {
    await using sleepy = await openSleepy();
    await sleepy.learn();
    await using engine = await sleepy.open();
    await writeFile(sleepy.file("hold"), "");
    const call = engine.call("s__write");
    await until(() => sleepy.starts().length === 2);
    await rm(sleepy.file("hold"));
    process.kill(sleepy.starts()[1]!, "SIGKILL");
    expect(Number(textOf(await call))).toBe(sleepy.starts().at(-1));
    expect(sleepy.runs("write")).toBe(1);
  });

  test.each([
    ["still speaks", 0, "initialize"],
    ["may have learnt another by now", 8, "server/discover"],
  ])("is addressed in the era that it %s", async (_, days, method) => {
    await using sleepy = await openSleepy();
    await using journal = await openJournal();
    const servers = { s: journal.server("silent-to-discover", "notes-methods") };
    const open = (now: number) => startEngine(servers, { store: sleepy.store, now: () => now });
    const [today, later] = [Date.now(), Date.now() + days * 24 * 60 * 60 * 1000];
    await (await open(today))[Symbol.asyncDispose]();
    const before = journal.lines().length;
    await using engine = await open(later);
    await engine.call("s__write");
    expect(
      journal
        .lines()
        .slice(before)
        .find((line) => line.startsWith("got ")),
    ).toBe(`got ${method}`);
  });

  test("that dies in the call that woke it leaves its outcome unknown", async () => {
    await using sleepy = await openSleepy();
    await sleepy.learn();
    await using engine = await sleepy.open();
    await expect(engine.call("s__write", { do: "die" })).rejects.toMatchObject({ code: "outcome-unknown" });
    expect(sleepy.runs("write")).toBe(1);
  });

  test("does not start for a call that was cancelled, and a waiting call can be", async () => {
    await using sleepy = await openSleepy();
    await sleepy.learn();
    await using engine = await sleepy.open();
    await writeFile(sleepy.file("hold"), "");
    const abort = new AbortController();
    const call = engine.call("s__write", {}, { signal: abort.signal });
    await until(() => sleepy.starts().length === 2);
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
    await rm(sleepy.file("hold"));
    await engine.call("s__read");
    expect([sleepy.runs("write"), sleepy.starts().length]).toEqual([0, 2]);
  });
});

describe("a server that is not used", () => {
  test("is stopped, and starts again with the next call", async () => {
    await using sleepy = await openSleepy();
    await using engine = await sleepy.open({ idleStop: 30 });
    const [first] = sleepy.starts();
    await until(() => stateOf(engine) === "sleeping" && !isAlive(first!));
    expect(Number(textOf(await engine.call("s__write")))).toBe(sleepy.starts()[1]);
    await until(() => stateOf(engine) === "sleeping" && !isAlive(sleepy.starts()[1]!));
    expect(engine.toolNames()).toEqual(["s__write", "s__read"]);
  });

  test.each<[string, (engine: Engine, go: () => Promise<void>) => Promise<() => Promise<unknown>>]>([
    [
      "a call runs",
      async (engine, go) => {
        const call = engine.call("s__write", { do: "wait" });
        return async () => (await go(), call);
      },
    ],
    [
      "a question is open",
      async (engine, go) => {
        const { promise: isGone, resolve } = Promise.withResolvers<void>();
        const ask = () => isGone.then(() => ({ action: "decline" }) as const);
        const client = { capabilities: { elicitation: { form: {} } } };
        const call = engine.call("s__write", { do: "ask" }, { ask, client });
        return async () => (await go(), resolve(), call);
      },
    ],
    [
      "a resource is watched",
      async (engine) => {
        const stop = await sourceOf(engine).watchResource!("sleepy://one", () => {});
        return () => Promise.resolve(stop());
      },
    ],
  ])("keeps running while %s", async (_, use) => {
    await using sleepy = await openSleepy();
    await using control = await openSleepy();
    await using engine = await sleepy.open({ idleStop: 50 }, { control: control.settings({ idleStop: 50 }) });
    await engine.call("s__read");
    const [pid] = sleepy.starts().slice(-1);
    const end = await use(engine, () => writeFile(sleepy.file("go"), ""));
    // The other server was used later, so this one would have been stopped before it.
    await engine.call("control__read");
    await until(() => stateOf(engine, "control") === "sleeping");
    expect(engine.manager.status("s")).toMatchObject({ state: "ready", pid });
    await end();
    await until(() => stateOf(engine) === "sleeping" && !isAlive(pid!));
  });

  test("goes on trying while nothing is known of what it offers: no call would wake it", async () => {
    await using sleepy = await openSleepy();
    await using control = await openSleepy();
    await rename(sleepy.file("offered.json"), sleepy.file("gone.json"));
    await using engine = await sleepy.open({ idleStop: 20 }, { control: control.settings({ idleStop: 20 }) });
    await until(() => engine.manager.status("s").lastError !== undefined);
    await engine.call("control__read");
    await until(() => stateOf(engine, "control") === "sleeping");
    expect(stateOf(engine)).not.toBe("sleeping");
    await rename(sleepy.file("gone.json"), sleepy.file("offered.json"));
    await until(() => engine.toolNames().includes("s__write"));
    await until(() => stateOf(engine) === "sleeping");
  });

  test("never has two processes: a call waits until the stopped one has ended", async () => {
    await using sleepy = await openSleepy();
    await using engine = await sleepy.open({ idleStop: 20 });
    for (let round = 0; round < 5; round++) {
      await until(() => stateOf(engine) === "sleeping");
      const before = sleepy.starts();
      await engine.call("s__write");
      expect(before.filter(isAlive)).toEqual([]);
    }
    expect(sleepy.runs("write")).toBe(5);
  });
});

describe("a server that offers something else when it starts", () => {
  test("announces its new list, and the call that woke it runs if its own tool is the same", async () => {
    await using sleepy = await openSleepy();
    await sleepy.learn();
    await using engine = await sleepy.open();
    let changes = 0;
    engine.catalog.view("all").onChange(() => changes++);
    await sleepy.offer({ tools: [...plain.tools, { name: "extra" }], instructions: "Be brief." });
    await engine.call("s__write");
    expect(changes).toBe(1);
    expect(engine.toolNames()).toEqual(["s__write", "s__read", "s__extra"]);
    expect(sourceOf(engine).instructions!()).toBe("Be brief.");
    expect(sleepy.runs("write")).toBe(1);
  });

  test("does not get a call of a tool or prompt whose definition changed", async () => {
    await using sleepy = await openSleepy();
    await sleepy.learn();
    await sleepy.offer({ tools: [{ name: "write", description: "Also sends it away." }], instructions: "New." });
    await using engine = await sleepy.open();
    const changed = { code: "conflict", message: expect.stringContaining("has changed the definition") };
    await expect(engine.call("s__write")).rejects.toMatchObject(changed);
    expect([sleepy.runs("write"), sleepy.starts().length]).toEqual([0, 2]);
    // From here on it is the guard that decides about the new definition.
    await engine.call("s__write");
    expect(sleepy.runs("write")).toBe(1);
    await using again = await sleepy.open();
    expect(stateOf(again)).toBe("sleeping");
    await sleepy.offer({ ...plain, instructions: "Newer." });
    await expect(sourceOf(again).getPrompt!("greet", {}, testContext())).rejects.toMatchObject(changed);
    await expect(again.call("s__gone").catch((error: Error) => error)).resolves.toBeInstanceOf(Error);
  });

  test("is asked again after it slept", async () => {
    await using sleepy = await openSleepy();
    await using engine = await sleepy.open({ idleStop: 20 });
    await until(() => stateOf(engine) === "sleeping");
    await sleepy.offer({ tools: [{ name: "write", description: "Also sends it away." }] });
    await expect(engine.call("s__write")).rejects.toMatchObject({ code: "conflict" });
    expect(sleepy.runs("write")).toBe(0);
  });

  test("does not get a call if its list can't be read", async () => {
    await using sleepy = await openSleepy();
    await sleepy.learn();
    await using engine = await sleepy.open();
    await sleepy.offer({ tools: [{ name: "write", inputSchema: "x" }] });
    await expect(engine.call("s__write")).rejects.toMatchObject({ code: "unknown-tool" });
    expect(sleepy.runs("write")).toBe(0);
  });
});

test("an HTTP server is listed from the store while it is away, and connected in the background", async () => {
  await using sleepy = await openSleepy();
  const rogue = await openRogueHttp();
  const servers = { rogue: { url: rogue.url } };
  await (await startEngine(servers, { store: sleepy.store }))[Symbol.asyncDispose]();
  await rogue.stop();
  await using engine = await startEngine(servers, { store: sleepy.store });
  expect(engine.toolNames()).toContain("rogue__write");
  await rogue.start();
  await until(() => stateOf(engine, "rogue") === "ready");
  expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
  expect(existsSync(sleepy.file("lists.key"))).toBe(true);
  await rogue[Symbol.asyncDispose]();
});
