import { expect, test, vi } from "vitest";
import { clawport, makePlace } from "../support/cli/run-clawport.ts";
import { until } from "../support/until.ts";
import { createProxyClient } from "../support/apps/proxy-client.ts";
import { startProxyProcess } from "./proxy-process.ts";
import { openApp } from "../support/apps/test-app.ts";

vi.setConfig({ testTimeout: 60_000 });

test("after kill -9 and a restart the sessions are still there, apps reconnect, and no request id is used twice", async () => {
  await using place = await makePlace();
  const first = await startProxyProcess(place, "--port", "0");
  const proxy = createProxyClient(first.ready.address);
  const session = await proxy.create();
  const deleted = await proxy.create();
  await proxy.ask("DELETE", `/v1/chat/sessions/${deleted.mcpSessionId}`);
  const before = await openApp(session.bridge_url, {
    tools: { echo_text: ({ text }) => (text === "hang" ? undefined : text) },
  });
  expect(await proxy.call(session, "echo_text", { text: "one" })).toBe("one");
  const hanging = proxy.call(session, "echo_text", { text: "hang" }).catch(String);
  await until(() => before.messages.length === 2);
  await first[Symbol.asyncDispose]();
  expect(await hanging).toContain("fetch failed");
  expect((await before.closed).code).toBe(1006);

  await using second = await startProxyProcess(place, "--port", String(first.ready.port));
  await using after = await openApp(session.bridge_url);
  expect(await proxy.call(session, "echo_text", { text: "two" })).toBe('{"echoed_text":"two"}');
  const ids = [...before.messages, ...after.messages].map(({ request_id }) => request_id);
  expect([ids.length, new Set(ids).size]).toEqual([3, 3]);
  expect(await proxy.call(deleted, "echo_text")).toContain("There is no such session");
  expect(second.ready.port).toBe(first.ready.port);
});

test("two proxies can't share one home, unless one of them runs with --memory", async () => {
  await using place = await makePlace();
  await using _ = await startProxyProcess(place, "--port", "0");
  const refused = await clawport(place, "proxy", "--port", "0");
  expect([refused.exit, refused.err]).toEqual([1, expect.stringContaining("--memory")]);
  await using __ = await startProxyProcess(place, "--port", "0", "--memory");
});
