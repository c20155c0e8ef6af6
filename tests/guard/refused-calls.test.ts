import { expect, test } from "vitest";
import { testSource, testTool } from "../support/test-source.ts";
import { startHub } from "../support/start-hub.ts";

test("a call of an unknown tool, or of one that runs only as a task, leaves a line in the audit", async () => {
  const task = testTool("research", { execution: { taskSupport: "required" } });
  await using hub = await startHub({ sources: [testSource({ id: "lab", prefix: "lab", tools: [task] })] });
  await hub.token("phone");
  await hub.call("phone", "no_such_tool", {});
  await hub.call("phone", "lab__research", {});
  const [unknown] = await hub.audit("no_such_tool");
  expect(unknown).toMatchObject({
    token: "phone",
    source: "-",
    verdict: "deny",
    why: "there is no such tool",
    outcome: "unknown-tool",
  });
  const [refused] = await hub.audit("lab__research");
  expect(refused).toMatchObject({ source: "lab", verdict: "deny", why: "the client can't run it" });
});
