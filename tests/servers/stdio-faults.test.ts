import { describe, expect, test } from "vitest";
import { textOf } from "../support/start-guard.ts";
import { until } from "../support/until.ts";
import { openJournal } from "./open-journal.ts";
import { startEngine } from "../support/start-engine.ts";

describe.each(["legacy", "modern"])("a stdio server of the %s era", (era) => {
  test("that dies in the middle of a call: the outcome is unknown, nothing is repeated, the next call works", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: journal.server(era) });
    await expect(engine.call("rogue__write", { do: "die" })).rejects.toMatchObject({
      code: "outcome-unknown",
      message: expect.stringContaining("exit code 1"),
    });
    expect(journal.count("run write")).toBe(1);
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
    expect(journal.count("run write")).toBe(2);
    expect(journal.pids()).toHaveLength(2);
  });

  test("that dies in the middle of a call that may run twice: it is repeated once", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: journal.server(era) });
    expect(textOf(await engine.call("rogue__read", { do: "die-first" }))).toBe("second time lucky");
    expect(textOf(await engine.call("rogue__put", { do: "die-first" }))).toBe("second time lucky");
    await expect(engine.call("rogue__read", { do: "die" })).rejects.toMatchObject({ code: "outcome-unknown" });
    expect(journal.count("run read")).toBe(4);
    expect(journal.count("run put")).toBe(2);
    expect(textOf(await engine.call("rogue__read"))).toBe("read ran");
  });

  test("that is killed between two calls: the second one works", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: journal.server(era) });
    await engine.call("rogue__write");
    process.kill(journal.pids()[0]!, "SIGKILL");
    await until(() => engine.manager.status("rogue").pid === undefined);
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
    expect(journal.count("run write")).toBe(2);
  });

  test("that is killed just as calls come: none of them runs twice", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: journal.server(era) });
    const calls = Array.from({ length: 20 }, () => engine.call("rogue__write"));
    process.kill(journal.pids()[0]!, "SIGKILL");
    calls.push(...Array.from({ length: 20 }, () => engine.call("rogue__write")));
    const outcomes = await Promise.allSettled(calls);
    const answered = outcomes.filter(({ status }) => status === "fulfilled").length;
    const unknown = outcomes.filter((each) => each.status === "rejected" && each.reason.code === "outcome-unknown");
    expect(answered + unknown.length).toBe(40);
    expect(journal.count("run write")).toBeLessThanOrEqual(40);
    expect(journal.count("run write")).toBeGreaterThanOrEqual(answered);
  });

  test("that answers and ends: the answer counts", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: journal.server(era) });
    expect(textOf(await engine.call("rogue__write", { do: "answer-and-die" }))).toBe("last words");
    await until(() => engine.manager.status("rogue").pid === undefined);
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
  });

  test("that writes garbage: it is skipped and told, before the handshake and in a call", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: journal.server(era, "garbage-first") });
    expect(textOf(await engine.call("rogue__write", { do: "garbage" }))).toBe("after the noise");
    expect(journal.pids()).toHaveLength(1);
    expect(engine.lines.filter(({ message }) => message.includes("skipped")).length).toBeGreaterThanOrEqual(5);
  });

  test("that answers with no result: the call is not repeated", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: journal.server(era) });
    await expect(engine.call("rogue__write", { do: "no-result" })).rejects.toMatchObject({ code: "outcome-unknown" });
    expect(journal.count("run write")).toBe(1);
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
  });

  test("that puts an empty error beside a result: the result counts", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: journal.server(era) });
    expect(textOf(await engine.call("rogue__write", { do: "null-error" }))).toBe("as in JSON-RPC 1.0");
    expect(journal.pids()).toHaveLength(1);
  });

  test("that answers with an error that says nothing: the outcome is unknown, and the next call works", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: journal.server(era) });
    for (const error of [null, "broken", 7]) {
      await expect(engine.call("rogue__write", { do: "odd-error", error })).rejects.toMatchObject({
        code: "outcome-unknown",
        message: expect.stringContaining("without a valid result"),
      });
    }
    expect(journal.count("run write")).toBe(3);
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
    expect(journal.pids()).toHaveLength(1);
  });

  test("that does not answer a call: it is cancelled there, and other calls go on", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: { ...journal.server(era), requestTimeoutMs: 1000 } });
    await expect(engine.call("rogue__write", { do: "hang" })).rejects.toMatchObject({
      code: "outcome-unknown",
      message: expect.stringContaining("Raise `servers.rogue.requestTimeoutMs` in the configuration"),
    });
    await until(() => journal.lines().some((line) => line.startsWith("cancelled")));
    expect(journal.count("run write")).toBe(1);
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
    expect(journal.pids()).toHaveLength(1);
  });

  test("that hangs altogether: it is given up, and the next call has a new one", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: { ...journal.server(era), requestTimeoutMs: 1000 } });
    await expect(engine.call("rogue__write", { do: "freeze" })).rejects.toMatchObject({ code: "outcome-unknown" });
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
    expect(journal.count("run write")).toBe(2);
    expect(journal.pids()).toHaveLength(2);
    await until(() => !isAlive(journal.pids()[0]!));
  });

  test("that reports progress may take longer, but not for ever", async () => {
    await using journal = await openJournal();
    const server = { ...journal.server(era), requestTimeoutMs: 1000, maxTotalTimeoutMs: 3000 };
    await using engine = await startEngine({ rogue: server });
    const steps: number[] = [];
    const progress = ({ progress: step }: { progress: number }) => void steps.push(step);
    const patient = { do: "progress", steps: 12, everyMs: 100 };
    expect(textOf(await engine.call("rogue__write", patient, { progress }))).toBe("done at last");
    expect(steps).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    const endless = { do: "progress", steps: 100, everyMs: 100, never: true };
    await expect(engine.call("rogue__read", endless)).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringMatching(/3000 ms\. Raise `servers\.rogue\.maxTotalTimeoutMs`/),
    });
    await until(() => journal.lines().some((line) => line.startsWith("cancelled")));
  });

  test("that sends a message larger than is taken: the call fails, memory stays, the next call works", async () => {
    await using journal = await openJournal();
    await using engine = await startEngine({ rogue: { ...journal.server(era), maxMessageBytes: 1_000_000 } });
    const before = process.memoryUsage().rss;
    await expect(engine.call("rogue__write", { do: "big", mb: 100 })).rejects.toMatchObject({
      code: "outcome-unknown",
      message: expect.stringContaining("larger than the limit of 1000000 bytes"),
    });
    await expect(engine.call("rogue__read", { do: "big", mb: 100 })).rejects.toMatchObject({ code: "too-large" });
    expect(process.memoryUsage().rss - before).toBeLessThan(80_000_000);
    expect(journal.count("run write")).toBe(1);
    expect(journal.count("run read")).toBe(1);
    expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
  });
});

test("a large answer that is taken arrives whole", async () => {
  await using journal = await openJournal();
  await using engine = await startEngine({ rogue: { ...journal.server(), maxMessageBytes: 120_000_000 } });
  expect(textOf(await engine.call("rogue__write", { do: "big", mb: 100 }))).toHaveLength(100_000_000);
});

test("a command that does not exist is told with what to do, and hurts nobody else", async () => {
  await using journal = await openJournal();
  await using engine = await startEngine({ none: { command: "no-such-command" }, rogue: journal.server() });
  await expect(engine.manager.refresh("none")).rejects.toMatchObject({
    message: expect.stringContaining("was not found"),
  });
  expect(engine.manager.status("none")).toMatchObject({ state: "reconnecting", tools: 0 });
  expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
});

test("a folder that does not exist is not taken for a missing command", async () => {
  await using engine = await startEngine({ none: { command: process.execPath, cwd: "/no/such/folder" } });
  await expect(engine.manager.refresh("none")).rejects.toMatchObject({
    message: expect.stringContaining("/no/such/folder"),
  });
});

test("a server that ends at once is told with its last words, and hurts nobody else", async () => {
  await using journal = await openJournal();
  await using engine = await startEngine({ bad: journal.server("exit-at-once"), good: journal.server() });
  expect(engine.manager.status("bad").lastError).toMatch(/exit code 3.*no licence found/);
  expect(engine.manager.logs("bad")).toContain("no licence found");
  expect(textOf(await engine.call("good__write"))).toBe("write ran");
});

test("a server that wants a version nobody speaks is refused by that name", async () => {
  await using journal = await openJournal();
  await using engine = await startEngine({ rogue: journal.server("wrong-version") });
  await expect(engine.manager.refresh("rogue")).rejects.toMatchObject({
    code: "unsupported-version",
    message: expect.stringContaining("1999-01-01"),
  });
});

test("a server that is silent to what it does not know is taken for an older one", async () => {
  await using journal = await openJournal();
  await using engine = await startEngine({
    rogue: { ...journal.server("silent-to-discover"), connectTimeoutMs: 3000 },
  });
  expect(engine.manager.status("rogue")).toMatchObject({ state: "ready", era: "legacy", version: "2025-06-18" });
  expect(journal.pids()).toHaveLength(1);
  process.kill(journal.pids()[0]!, "SIGKILL");
  await until(() => engine.manager.status("rogue").pid === undefined);
  expect(textOf(await engine.call("rogue__write"))).toBe("write ran");
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("a program that prints its own text instead of MCP is reported with that text, and its secrets are masked", async () => {
  const script = 'console.log("Listening on port 3000, password=" + process.env.KEY); setInterval(() => {}, 1000)';
  const env = { KEY: "hunter2-hunter2-hunter2" };
  const web = { command: process.execPath, args: ["-e", script], env, connectTimeoutMs: 1500, era: "legacy" };
  await using engine = await startEngine({ web });
  const { lastError: error } = engine.manager.status("web");
  expect(error).toContain('prints text that is not MCP on its stdout: "Listening on port 3000');
  expect(error).not.toContain("connectTimeoutMs");
  expect(JSON.stringify([error, engine.lines])).not.toContain("hunter2");
});
