import { afterEach, expect, test } from "vitest";
import type { Settlement } from "./machine/machine.ts";
import { createMachines, type Machines } from "./machine/machines.ts";
import {
  type AskedQuestion,
  type KnownRun,
  runScript,
  type ScriptQuestion,
  type ScriptRunOptions,
} from "./run-script.ts";

let machines: Machines | undefined;
afterEach(() => machines?.close());

const tools = (question: ScriptQuestion): string => (question.kind === "call" ? question.tool : question.kind);

function run(code: string, more: Partial<ScriptRunOptions> & { answer?(tool: string): Promise<unknown> } = {}) {
  const { answer = (tool: string) => Promise.resolve(tool), ...options } = more;
  const ran: string[] = [];
  const done = runScript({
    machines: machines!,
    start: {
      code,
      input: "null",
      time: 1_700_000_000_000,
      seed: 7,
      limits: { memoryBytes: 16 * 1024 * 1024, steps: 100_000, outputLength: 100_000 },
    },
    host: {
      progress: () => {},
      answer(question) {
        ran.push(tools(question));
        return answer(tools(question));
      },
    },
    limits: { calls: 50, parallel: 2, answerLength: 100_000, timeoutMs: 600_000 },
    signal: new AbortController().signal,
    clock: () => 1_700_000_000_000,
    ...options,
  });
  return { done, ran };
}

/** What a process has written down that was killed while it answered `first`. */
async function killedDuring(code: string, stopped: string): Promise<KnownRun> {
  const asked = new Map<number, AskedQuestion>();
  const settlements: Settlement[] = [];
  const reached = Promise.withResolvers<void>();
  const abort = new AbortController();
  const record = {
    asked: (question: ScriptQuestion, text: string, time: number) => void asked.set(question.id, { time, text }),
    settled: (settlement: Settlement) => void settlements.push(settlement),
  };
  const answer = (tool: string): Promise<unknown> => {
    if (tool !== stopped) return Promise.resolve(tool);
    reached.resolve();
    return new Promise(() => {});
  };
  const { done } = run(code, { record, answer, signal: abort.signal });
  await reached.promise;
  abort.abort();
  await done;
  return { settlements, asked };
}

const code = `const random = Math.random();
  const one = await tools.a.one();
  const two = await tools.a.two().catch(({ code }) => code);
  return [one, two, await tools.a.three(), random === Math.random()];`;

test("a script goes on where it waited: no call runs twice, and one that was under way has an unknown outcome", async () => {
  machines = createMachines({ threads: 1, maxStepMs: 60_000 });
  const known = await killedDuring(code, "a.two");
  const { done, ran } = run(code, { known });
  expect(await done).toMatchObject({ kind: "returned", value: ["a.one", "outcome-unknown", "a.three", false] });
  expect(ran).toEqual(["a.three"]);
});

test("a call that may be repeated is made again", async () => {
  machines = createMachines({ threads: 1, maxStepMs: 60_000 });
  const known = await killedDuring(code, "a.two");
  const { done, ran } = run(code, { known, mayRepeat: () => true });
  expect(await done).toMatchObject({ kind: "returned", value: ["a.one", "a.two", "a.three", false] });
  expect(ran).toEqual(["a.two", "a.three"]);
});

test("a script that does something else than before does not go on", async () => {
  machines = createMachines({ threads: 1, maxStepMs: 60_000 });
  const known = await killedDuring(code, "a.two");
  const { done, ran } = run(code.replace("a.two", "a.other"), { known });
  expect(await done).toMatchObject({ kind: "failed", reason: "changed" });
  expect(ran).toEqual([]);
});

test("a thread that one script keeps busy ends with it, and the other scripts in it make no call twice", async () => {
  machines = createMachines({ threads: 1, maxStepMs: 300 });
  const waiting = Promise.withResolvers<string>();
  const reached = Promise.withResolvers<void>();
  const honest = run(code, {
    answer(tool) {
      if (tool !== "a.two") return Promise.resolve(tool);
      reached.resolve();
      return waiting.promise;
    },
  });
  await reached.promise;
  expect(await run('new Array(2 ** 31).join("ab")').done).toMatchObject({ kind: "failed" });
  waiting.resolve("late");
  expect(await honest.done).toMatchObject({ kind: "returned", value: ["a.one", "late", "a.three", false] });
  expect(honest.ran).toEqual(["a.one", "a.two", "a.three"]);
}, 60_000);
