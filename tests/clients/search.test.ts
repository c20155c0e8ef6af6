import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { fixtureProgram } from "../../conformance/start-fixture.ts";
import { controlAt } from "../support/hub-socket.ts";
import { type StartedHub, startHub } from "../support/start-hub.ts";
import { until } from "../support/until.ts";
import { type TestClient, usualAnswers } from "../support/clients/test-client.ts";
import { openV1Client } from "../support/clients/v1-client.ts";
import { openV2Client } from "../support/clients/v2-client.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** A hub whose clients get the search surface, in front of a real server over stdio. One of its tools needs approval. */
let started: StartedHub;
beforeAll(async () => {
  started = await startHub({
    config: {
      hub: { surface: "search", always: ["fixture__greet"] },
      servers: { fixture: { command: process.execPath, args: [fixtureProgram], arguments: "check" } },
      policy: { rules: [{ tool: "fixture__test_tool_with_progress", verdict: "ask", askClient: true }] },
    },
  });
});
afterAll(() => started[Symbol.asyncDispose]());

const clients = [
  { title: "SDK v1", open: openV1Client },
  { title: "SDK v2, legacy", open: (reach: Reach) => openV2Client(reach, "legacy") },
  { title: "SDK v2, 2026-07-28", open: (reach: Reach) => openV2Client(reach, { pin: "2026-07-28" }) },
] as const;
type Reach = Parameters<typeof openV1Client>[0];

describe.each(clients)("the client of $title", ({ open }) => {
  let client: TestClient;
  beforeAll(async () => {
    const headers = { authorization: `Bearer ${await started.token("main")}` };
    client = await open({ url: started.hub.url, headers });
  });
  beforeEach(() => {
    client.answers = usualAnswers;
    client.heard.length = 0;
  });
  afterAll(() => client[Symbol.asyncDispose]());
  const call = (name: string, args: object = {}, options: Parameters<TestClient["call"]>[2] = {}) =>
    client.call("call_tool", { name, arguments: args }, options);

  test("lists three tools and those that are always there", async () => {
    const names = await client.toolNames();
    expect(names.slice(0, 4)).toEqual(["search_tools", "describe_tool", "call_tool", "fixture__greet"]);
    expect(names.filter((name) => name.startsWith("fixture__"))).toEqual(["fixture__greet"]);
  });

  test("finishes a task: searches, reads a definition, is asked for approval, sees progress", async () => {
    const found = await client.call("search_tools", { query: ["a tool that reports progress", "progress"], limit: 3 });
    expect(found).toContain("fixture__test_tool_with_progress(");
    const described = await client.call("describe_tool", { name: "fixture__test_tool_with_progress" });
    expect(described).toContain("inputSchema");
    client.answers = { elicitation: { action: "accept", content: { answer: "once" } } };
    const steps: number[] = [];
    const done = await call("fixture__test_tool_with_progress", {}, { onProgress: (at) => steps.push(at) });
    expect(done).toMatch(/,false\]$/);
    // SDK v2 counts the rounds of a call, too.
    expect(steps.slice(-3)).toEqual([0, 50, 100]);
    const [line] = (await started.audit("fixture__test_tool_with_progress")).slice(-1);
    expect(line).toMatchObject({ tool: "fixture__test_tool_with_progress", outcome: "ok" });
  });

  test("a call that is not approved does not run", async () => {
    client.answers = { elicitation: { action: "decline" } };
    expect(await call("fixture__test_tool_with_progress")).toMatch(/,true\]$/);
  });

  test("answers a question of the tool, and gets its images and its failures", async () => {
    expect(await call("fixture__test_elicitation", { message: "Who?" })).toContain("alice");
    expect(await call("fixture__test_multiple_content_types")).toContain('"type":"image"');
    expect(await call("fixture__test_error_handling")).toMatch(/,true\]$/);
  });

  test("wrong arguments, and names that do not exist, are explained under the name of the inner tool", async () => {
    expect(await call("fixture__greet", { name: 5 })).toMatch(/fixture__greet.*name.*true\]$/);
    expect(await call("fixture__no_such_tool")).toMatch(/fixture__no_such_tool.*search_tools.*true\]$/);
    expect(await client.call("describe_tool", { name: "nothing" })).toMatch(/Unknown tool.*true\]$/);
    expect(await call("call_tool", { name: "fixture__greet" })).toMatch(/can't call itself.*true\]$/);
    expect(await client.call("call_tool", { name: "fixture__greet", arguments: "text" })).toMatch(/,true\]$/);
  });

  test("stops the inner call when it cancels, and may call a tool directly", async () => {
    const before = await client.call("fixture__test_count_cancelled");
    const aborter = new AbortController();
    const onProgress = () => aborter.abort();
    const running = call("fixture__slow_compute", { seconds: 60 }, { onProgress, signal: aborter.signal });
    await expect(running).rejects.toThrow(/abort/i);
    await until(async () => (await client.call("fixture__test_count_cancelled")) !== before);
  });

  test("is shown with its surface in the status", async () => {
    const control = await controlAt(started.home.path);
    const { surfaces = [] } = await control.status.read();
    control.close();
    expect(surfaces[0]).toMatchObject({ caller: "main", surface: "search", why: "as configured" });
  });
});
