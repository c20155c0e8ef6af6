import { describe, expect, test } from "vitest";
import { textOf } from "../support/start-guard.ts";
import { openRogueHttp } from "./fixtures/rogue-http.ts";
import { openJournal } from "./open-journal.ts";
import { defined, type Engine, startEngine } from "../support/start-engine.ts";

const pid = (engine: Engine, name: string) => engine.manager.status(name).pid;
const isGone = (process_: number) => {
  try {
    return !process.kill(process_, 0);
  } catch {
    return true;
  }
};

describe("servers that are defined alike", () => {
  test("have one process between them, and each its own names", async () => {
    await using journal = await openJournal();
    const same = journal.server();
    await using engine = await startEngine({
      a: same,
      b: { ...same, toolPrefix: "bee", tools: { exclude: ["put"], rename: { write: "scribble" } } },
    });
    expect(journal.pids()).toHaveLength(1);
    expect(engine.toolNames()).toEqual(["a__write", "a__read", "a__put", "bee__scribble", "bee__read"]);
    expect(textOf(await engine.call("bee__scribble"))).toBe("write ran");
    expect(pid(engine, "a")).toBe(pid(engine, "b"));
    expect(["a", "b"].map((name) => engine.manager.status(name))).toMatchObject([
      { name: "a", state: "ready", tools: 3 },
      { name: "b", state: "ready", tools: 2 },
    ]);
  });

  test("have it until the last of them goes", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ a: journal.server(), b: journal.server() });
    const [process_ = 0] = journal.pids();
    await engine.manager.apply(await defined({ b: journal.server() }));
    expect(engine.toolNames()).toEqual(["b__write", "b__read", "b__put"]);
    expect(textOf(await engine.call("b__write"))).toBe("write ran");
    expect(isGone(process_)).toBe(false);
    await engine.manager.apply([]);
    expect(isGone(process_)).toBe(true);
    expect(journal.pids()).toHaveLength(1);
  });

  test("have processes of their own where one of them wants that", async () => {
    await using journal = await openJournal();
    const same = journal.server();
    await using engine = await startEngine({ a: same, b: same, c: { ...same, share: false } });
    expect(journal.pids()).toHaveLength(2);
    expect(pid(engine, "c")).not.toBe(pid(engine, "a"));
    expect(pid(engine, "b")).toBe(pid(engine, "a"));
  });

  test("have one session between them over HTTP where they have a key, and take up one place", async () => {
    await using rogue = await openRogueHttp();
    const same = { url: rogue.url, apiKey: "key" };
    await using engine = await startEngine({ a: same, b: same }, { maxConcurrent: 1 });
    expect(rogue.count("initialize")).toBe(1);
    await engine.call("a__write");
    await engine.call("b__write");
    expect(rogue.count("initialize")).toBe(1);
    expect(rogue.runs.get("write")).toBe(2);
  });

  test("have sessions of their own over HTTP where they have no key: each may be signed in to", async () => {
    await using rogue = await openRogueHttp();
    await using engine = await startEngine({ a: { url: rogue.url }, b: { url: rogue.url } });
    expect(rogue.count("initialize")).toBe(2);
    expect(textOf(await engine.call("b__write"))).toBe("write ran");
  });

  test("both see what their server changes", async () => {
    await using rogue = await openRogueHttp();
    const same = { url: rogue.url, headers: { Authorization: "Basic a2V5" } };
    await using engine = await startEngine({ a: same, b: same });
    rogue.tools = [{ name: "fresh", inputSchema: { type: "object" } }];
    await engine.manager.refresh("a");
    expect(engine.toolNames()).toEqual(["a__fresh", "b__fresh"]);
  });
});

describe("an edit of the configuration", () => {
  test("that makes one of two differ gives it a process of its own and leaves the other alone", async () => {
    await using journal = await openJournal();
    const same = journal.server();
    await using engine = await startEngine({ a: same, b: same });
    const before = pid(engine, "b");
    await engine.manager.apply(await defined({ a: journal.server("otherwise"), b: same }));
    await engine.manager.settled(15_000);
    expect(pid(engine, "b")).toBe(before);
    expect(pid(engine, "a")).not.toBe(before);
    await engine.manager.apply(await defined({ a: same, b: same }));
    await engine.manager.settled(15_000);
    expect(pid(engine, "a")).toBe(before);
    expect(journal.pids()).toHaveLength(2);
  });

  test("that ends the sharing starts a second process, and one that begins it stops that again", async () => {
    await using journal = await openJournal();
    const same = journal.server();
    await using engine = await startEngine({ a: same, b: same });
    const [first = 0] = journal.pids();
    await engine.manager.apply(await defined({ a: same, b: { ...same, share: false } }));
    await engine.manager.settled(15_000);
    const second = pid(engine, "b")!;
    expect([pid(engine, "a"), second === first]).toEqual([first, false]);
    await engine.manager.apply(await defined({ a: same, b: same }));
    await engine.manager.settled(15_000);
    expect(pid(engine, "b")).toBe(first);
    expect(isGone(second)).toBe(true);
  });

  test("that renames a tool of one restarts nothing while the other uses the process", async () => {
    await using journal = await openJournal();
    const same = journal.server();
    await using engine = await startEngine({ a: same, b: same });
    await engine.manager.apply(await defined({ a: { ...same, tools: { include: ["read"] } }, b: same }));
    await engine.manager.settled(15_000);
    expect(engine.toolNames()).toEqual(["a__read", "b__write", "b__read", "b__put"]);
    expect(journal.pids()).toHaveLength(1);
  });
});
