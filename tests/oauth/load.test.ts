import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { openOAuthPlace } from "./open-oauth-place.ts";

const child = join(import.meta.dirname, "fixtures", "load-child.ts");

/** A process with an engine of its own on the same home. */
async function startCaller(folder: string, url: string, calls: number) {
  const process_ = spawn(process.execPath, [child, folder, url, String(calls)], {
    env: { PATH: process.env["PATH"] },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: process_.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  return {
    tools: Number(await next()),
    async call(): Promise<{ done: number; failed: string[] }> {
      process_.stdin.write("go\n");
      return JSON.parse(await next()) as { done: number; failed: string[] };
    },
    async [Symbol.asyncDispose]() {
      process_.stdin.end();
      await once(process_, "exit");
    },
  };
}

test("a token that expires under 150 calls in three processes is renewed once, and no call fails", async () => {
  await using bench = await openOAuthPlace();
  await bench.runWithBrowser("consent", "auth", "one");
  await using stack = new AsyncDisposableStack();
  const callers = await Promise.all(Array.from({ length: 3 }, () => startCaller(bench.home, bench.server.url, 50)));
  for (const caller of callers) stack.use(caller);
  expect(callers.map(({ tools }) => tools)).toEqual([2, 2, 2]);
  const old = bench.server.seen.at(-1) ?? "";
  bench.server.gather(150, () => bench.authority.expire(old));
  const results = await Promise.all(callers.map((caller) => caller.call()));
  expect(results).toEqual(callers.map(() => ({ done: 50, failed: [] })));
  expect(bench.authority.grants).toEqual(["authorization_code", "refresh_token"]);
  expect(bench.server.statuses.filter((status) => status === 401)).toHaveLength(151);
  expect(new Set(bench.server.seen.slice(-150)).size).toBe(1);
}, 60_000);

test("three processes that find a token about to expire renew it once, before they show it", async () => {
  await using bench = await openOAuthPlace();
  await bench.runWithBrowser("consent", "auth", "one");
  await bench.age(30_000);
  await using stack = new AsyncDisposableStack();
  const callers = await Promise.all(Array.from({ length: 3 }, () => startCaller(bench.home, bench.server.url, 10)));
  for (const caller of callers) stack.use(caller);
  const results = await Promise.all(callers.map((caller) => caller.call()));
  expect(results).toEqual(callers.map(() => ({ done: 10, failed: [] })));
  expect(bench.authority.grants).toEqual(["authorization_code", "refresh_token"]);
  expect(bench.server.statuses.filter((status) => status === 401)).toHaveLength(1);
}, 60_000);
