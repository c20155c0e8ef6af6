import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { expect, test, vi } from "vitest";
import { until } from "../support/until.ts";
import { openLine } from "./open-line.ts";
import { type Created, startProxy } from "./start-proxy.ts";
import { openApp } from "../support/apps/test-app.ts";
import { program } from "../setup/programs.ts";

vi.setConfig({ testTimeout: 300_000 });

const tools = [{ name: "fast" }, { name: "slow" }];

test("killing an app during a call ends the call with an unknown outcome; a new app serves the next call", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create({ tools });
  const first = await startApp(session);
  const called = proxy.call(session, "slow");
  await first.says("run slow");
  first.child.kill("SIGKILL");
  expect(await called).toMatch(/^!The bridge was lost after the call was sent/);
  const second = await startApp(session);
  expect(await proxy.call(session, "fast")).toBe("done");
  expect([first.lines, second.lines]).toEqual([
    ["open", "run slow"],
    ["open", "run fast"],
  ]);
  second.child.kill("SIGKILL");
});

test("an app that hangs is detected by its silence, and its call ends", async () => {
  await using proxy = await startProxy({ heartbeatMs: 500 });
  const session = await proxy.create({ tools });
  const app = await startApp(session);
  const called = proxy.call(session, "slow");
  await app.says("run slow");
  app.child.kill("SIGSTOP");
  expect(await called).toMatch(/^!The bridge was lost after the call was sent/);
  expect(await proxy.call(session, "fast")).toBe("!Bridge is not connected");
  app.child.kill("SIGCONT");
  const second = await startApp(session);
  expect(await proxy.call(session, "fast")).toBe("done");
  expect([app.lines, second.lines]).toEqual([
    ["open", "run slow"],
    ["open", "run fast"],
  ]);
  for (const { child } of [app, second]) child.kill("SIGKILL");
});

test("a silently dead connection is detected by the heartbeat", async () => {
  await using proxy = await startProxy({ heartbeatMs: 500 });
  const session = await proxy.create({ tools });
  await using line = await openLine(Number(new URL(proxy.address).port));
  const { pathname } = new URL(session.bridge_url);
  const app = await openApp(`ws://127.0.0.1:${line.port}${pathname}`, { tools: {} });
  const called = proxy.call(session, "slow");
  await app.wait("invoke_tool");
  line.freeze();
  expect(await called).toMatch(/^!The bridge was lost after the call was sent/);
  app.ws.terminate();
});

async function startApp(session: Created) {
  const file = program("tests/apps/app-child.ts");
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [file, session.bridge_url]);
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => void lines.push(line));
  const says = (line: string) => until(() => lines.includes(line), line);
  await says("open");
  return { child, lines, says };
}
