import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { until } from "../support/until.ts";
import { type Notice, type TestClient, usualAnswers } from "../support/clients/test-client.ts";

/** What every official client can do with our server, over any transport. */
export function testClient(version: string, open: () => Promise<TestClient>): void {
  let client: TestClient;
  beforeAll(async () => {
    client = await open();
  });
  beforeEach(() => {
    client.answers = usualAnswers;
    client.heard.length = 0;
    client.errors.length = 0;
  });
  afterAll(() => client[Symbol.asyncDispose]());

  test("agrees on the newest version that both support", () => {
    expect(client.version).toBe(version);
  });

  test("lists tools and calls them", async () => {
    expect(await client.toolNames()).toContain("test_simple_text");
    expect(await client.call("test_simple_text")).toContain("This is a simple text response");
    expect(await client.call("test_multiple_content_types")).toContain('"type":"image"');
    expect(await client.call("test_x_mcp_header", { region: "eu-west 1 ü" })).toContain("region=eu-west 1 ü");
    expect(client.errors).toEqual([]);
  });

  test("gets the failure of a tool as a result, and an unknown tool as an error", async () => {
    expect(await client.call("test_error_handling")).toContain("true]");
    expect(await client.call("greet", { name: 5 })).toMatch(/name.*true\]/);
    await expect(client.call("no_such_tool")).rejects.toMatchObject({ code: -32602 });
  });

  test("receives progress before the result of a call", async () => {
    const steps: number[] = [];
    await client.call("test_tool_with_progress", {}, { onProgress: (progress) => steps.push(progress) });
    expect(steps).toEqual([0, 50, 100]);
  });

  test("stops a call on the server when it cancels it", async () => {
    const before = await client.call("test_count_cancelled");
    const aborter = new AbortController();
    const onProgress = () => aborter.abort();
    const call = client.call("slow_compute", { seconds: 60 }, { onProgress, signal: aborter.signal });
    await expect(call).rejects.toThrow(/abort/i);
    await untilChanged(() => client.call("test_count_cancelled"), before);
  });

  test("answers or declines a question during a call", async () => {
    expect(await client.call("test_elicitation", { message: "Who?" })).toContain("alice");
    client.answers = { elicitation: { action: "decline" } };
    expect(await client.call("test_elicitation", { message: "Who?" })).toContain("action=decline");
  });

  test("answers three questions at once, and two one after the other", async () => {
    const three = await client.call("test_input_required_result_multiple_inputs");
    expect(three).toContain("Good morning Alice");
    expect(three).toContain("file:///test/root");
    client.answers = { elicitation: { action: "accept", content: { name: "Bob", color: "blue" } } };
    expect(await client.call("test_input_required_result_multi_round")).toContain("Bob likes blue");
  });

  test("reads resources, and is notified when one changes", async () => {
    expect(await client.read("test://template/42/data")).toContain("Data for ID: 42");
    await expect(client.read("test://none")).rejects.toThrow(/not found/);
    const stop = await client.listen("test://watched-resource");
    await triggerUntilHeard(client, "test_trigger_resource_change", "resource");
    await stop();
    expect(client.errors).toEqual([]);
  });

  test("gets prompts, including one that asks a question", async () => {
    expect(await client.promptNames()).toContain("test_simple_prompt");
    expect(await client.prompt("test_prompt_with_arguments", { arg1: "one", arg2: "two" })).toContain("arg1='one'");
    client.answers = { elicitation: { action: "accept", content: { context: "spring" } } };
    expect(await client.prompt("test_input_required_result_prompt")).toContain("spring");
    expect(await client.complete("par")).toEqual(["paris", "park", "party"]);
  });

  test("is notified when the lists of tools and prompts change", async () => {
    const stop = await client.listen("test://watched-resource");
    await triggerUntilHeard(client, "test_trigger_tool_change", "tools");
    await triggerUntilHeard(client, "test_trigger_prompt_change", "prompts");
    await stop();
    expect(client.errors).toEqual([]);
  });
}

/** A legacy client opens its stream for notifications at some later time, and misses those sent before that. */
async function triggerUntilHeard(client: TestClient, tool: string, notice: Notice): Promise<void> {
  const isHeard = async () => {
    await client.call(tool);
    return client.heard.includes(notice);
  };
  await until(isHeard, `the notification «${notice}»`);
}

async function untilChanged(read: () => Promise<string>, before: string): Promise<void> {
  await until(async () => (await read()) !== before, `something other than ${before}`);
}
