import { describe, expect, test } from "vitest";
import { textOf } from "../support/start-guard.ts";
import { until } from "../support/until.ts";
import { openRogueHttp, type RogueHttp } from "./fixtures/rogue-http.ts";
import { openJournal } from "./open-journal.ts";
import { defined, type Engine, startEngine } from "../support/start-engine.ts";

const names = ["a", "b", "c", "d"] as const;

interface Crowd extends AsyncDisposable {
  readonly engine: Engine;
  readonly rogues: Readonly<Record<(typeof names)[number], RogueHttp>>;
  ready(): string[];
}

interface CrowdOptions {
  /** Settings of single servers. */
  readonly settings?: Partial<Record<(typeof names)[number], object>>;
  readonly now?: () => number;
}

/** Four servers, of which two may be connected at once. */
async function openCrowd({ settings = {}, now }: CrowdOptions = {}): Promise<Crowd> {
  const [a, b, c, d] = await Promise.all(names.map(() => openRogueHttp()));
  const rogues = { a: a!, b: b!, c: c!, d: d! };
  const servers = Object.fromEntries(names.map((name) => [name, { url: rogues[name].url, ...settings[name] }]));
  const engine = await startEngine(servers, { maxConcurrent: 2, now });
  return {
    engine,
    rogues,
    ready: () => names.filter((name) => engine.manager.status(name).state === "ready"),
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await Promise.all(names.map((name) => rogues[name][Symbol.asyncDispose]()));
    },
  };
}

describe("more servers than may be connected at once", () => {
  test("are all listed, and no more than allowed are connected", async () => {
    await using crowd = await openCrowd();
    expect(new Set(crowd.engine.toolNames().map((name) => name[0]))).toEqual(new Set(names));
    expect(crowd.ready()).toHaveLength(2);
    const states = names.map((name) => crowd.engine.manager.status(name).state);
    expect(states.filter((state) => state === "queued")).toHaveLength(2);
  });

  test("are connected by a call, which parks the one that was unused for longest", async () => {
    let clock = 0;
    await using crowd = await openCrowd({ now: () => clock++ });
    const { engine } = crowd;
    for (const name of ["a", "b", "a"]) await engine.call(`${name}__write`);
    expect(crowd.ready()).toEqual(["a", "b"]);
    expect(textOf(await engine.call("c__write"))).toBe("write ran");
    expect(crowd.ready()).toEqual(["a", "c"]);
    expect(engine.manager.status("b").state).toBe("queued");
    expect(crowd.rogues.b.count("DELETE")).toBe(crowd.rogues.b.count("initialize"));
  });

  test("all work when they are called at the same time, two at a time", async () => {
    await using crowd = await openCrowd();
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, crowd.ready().length)), 1);
    const calls = Array.from({ length: 40 }, (_, index) => crowd.engine.call(`${names[index % 4]}__write`));
    expect(new Set((await Promise.all(calls)).map(textOf))).toEqual(new Set(["write ran"]));
    clearInterval(watch);
    expect(most).toBeLessThanOrEqual(2);
    for (const name of names) expect(crowd.rogues[name].runs.get("write")).toBe(10);
  });

  test("wait while the connected ones are busy, and fail after their connect timeout", async () => {
    await using crowd = await openCrowd({ settings: { c: { connectTimeoutMs: 1000 } } });
    const { engine, rogues } = crowd;
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    for (const name of ["a", "b"] as const)
      rogues[name].once("tools/call", async (exchange) => (await isReleased, rogues[name].behave(exchange)));
    const busy = [engine.call("a__write"), engine.call("b__write")];
    await until(() => rogues.a.count("tools/call") + rogues.b.count("tools/call") === 2);
    const waiting = engine.call("d__write");
    await expect(engine.call("c__write")).rejects.toMatchObject({
      code: "busy",
      message: expect.stringContaining("maxConcurrentServers"),
    });
    // It came first and has the longer timeout, so it still waits.
    expect(rogues.d.runs.get("write")).toBeUndefined();
    release();
    expect(textOf(await waiting)).toBe("write ran");
    expect((await Promise.all(busy)).map(textOf)).toEqual(["write ran", "write ran"]);
  });

  test("get a new session while all connections are in use", async () => {
    await using crowd = await openCrowd();
    const { engine, rogues } = crowd;
    await engine.call("a__write");
    await engine.call("b__write");
    rogues.a.forgetSessions();
    await expect(engine.manager.refresh("a")).resolves.toMatchObject({ state: "ready" });
    expect(crowd.ready()).toEqual(["a", "b"]);
  });
});

describe("a configuration that changes while running", () => {
  test("restarts what changed, starts what is new, stops what is gone and leaves the rest alone", async () => {
    await using journal = await openJournal();
    const [same, changed, gone] = ["same", "changed", "gone"].map((flag) => journal.server(flag));
    await using engine = await startEngine({ same: same!, changed: changed!, gone: gone! });
    const pid = (name: string) => engine.manager.status(name).pid;
    const before = { same: pid("same"), changed: pid("changed"), gone: pid("gone") };
    await engine.manager.apply(await defined({ same: same!, changed: journal.server("otherwise"), fresh: gone! }));
    await engine.manager.settled(15_000);
    expect(pid("same")).toBe(before.same);
    expect(pid("changed")).not.toBe(before.changed);
    expect(engine.manager.names()).toEqual(["same", "changed", "fresh"]);
    expect(new Set(engine.toolNames().map((name) => name.split("__")[0]))).toEqual(
      new Set(["same", "changed", "fresh"]),
    );
    expect(() => process.kill(before.gone!, 0)).toThrow("ESRCH");
  });

  test("twice in a row ends as the later one says", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ a: journal.server("stubborn") });
    const [first, second] = [
      await defined({ b: journal.server() }),
      await defined({ a: journal.server(), c: journal.server() }),
    ];
    await Promise.all([engine.manager.apply(first), engine.manager.apply(second)]);
    await engine.manager.settled(15_000);
    expect(engine.manager.names().toSorted()).toEqual(["a", "c"]);
    expect(engine.manager.status("a").state).toBe("ready");
  });

  test("twice in a row starts nothing that only the earlier one names", async () => {
    await using rogue = await openRogueHttp();
    const added: string[] = [];
    const catalog = { add: ({ id }: { readonly id: string }) => (added.push(id), () => {}) };
    await using engine = await startEngine({}, { catalog });
    const [first, second] = [await defined({ a: { url: rogue.url } }), await defined({ b: { url: rogue.url } })];
    await Promise.all([engine.manager.apply(first), engine.manager.apply(second)]);
    expect(added).toEqual(["b"]);
    await engine.manager.settled(15_000);
  });

  test("during a call leaves its outcome unknown", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ a: journal.server() });
    const call = engine.call("a__write", { do: "hang" });
    const [outcome] = await Promise.allSettled([
      call,
      until(() => journal.count("run write") === 1).then(() => engine.manager.apply([])),
    ]);
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "outcome-unknown" } });
    expect(engine.toolNames()).toEqual([]);
  });
});

test("an unreachable server is tried again, and its tools appear once it runs", async () => {
  const rogue = await openRogueHttp();
  await rogue.stop();
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  expect(engine.manager.status("rogue")).toMatchObject({ state: "reconnecting", tools: 0 });
  expect(engine.manager.status("rogue").lastError).toContain("ECONNREFUSED");
  await rogue.start();
  await until(() => engine.toolNames().includes("rogue__write"));
  expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
  await rogue[Symbol.asyncDispose]();
});

test("a server that is removed while it connects is not reported as a failed connection", async () => {
  await using rogue = await openRogueHttp();
  rogue.always("server/discover", () => {});
  const engine = await startEngine({ rogue: { url: rogue.url } }, {}, 0);
  await until(() => rogue.count("server/discover") === 1);
  const first = engine.manager.settled(60_000);
  await engine[Symbol.asyncDispose]();
  await first;
  expect(engine.lines.map(({ message }) => message)).not.toContain("could not connect to the server");
});

test("a server that needs a key shows so, and a call tries it again", async () => {
  await using rogue = await openRogueHttp();
  rogue.always("server/discover", ({ response }) => void response.writeHead(401).end());
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  expect(engine.manager.status("rogue").state).toBe("needs-key");
  rogue.always("server/discover", rogue.behave);
  await engine.manager.refresh("rogue");
  expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
});

test("an idle server gets heartbeats, and one that misses two is reconnected", async () => {
  await using rogue = await openRogueHttp();
  await using engine = await startEngine({ rogue: { url: rogue.url, heartbeatMs: 150, requestTimeoutMs: 500 } });
  await until(() => rogue.count("ping") >= 2);
  rogue.always("ping", () => {});
  await until(() => engine.manager.status("rogue").state === "degraded");
  await until(() => rogue.count("initialize") === 2);
  rogue.always("ping", rogue.behave);
  expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
});
