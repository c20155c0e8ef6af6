import { expect, test } from "vitest";
import { parseConfig } from "./parse-config.ts";

const warningsOf = (policy: object, servers: object = { every: { url: "https://a.example" } }) =>
  parseConfig(JSON.stringify({ servers, policy }), {});

test.each([
  [{ rules: [{ source: "evry", verdict: "deny" }] }, "policy.rules[0].source", "every"],
  [{ rules: [{ verdict: "ask" }, { tool: "evry__*", verdict: "deny" }] }, "policy.rules[1].tool", "every__*"],
  [{ limits: [{ source: "evry", calls: 1, seconds: 1 }] }, "policy.limits[0].source", "every"],
  [{ rules: [{ source: "nothing-like-it", verdict: "deny" }] }, "policy.rules[0].source", undefined],
])("%j matches nothing: a warning suggests what was meant", (policy, path, suggestion) => {
  const { warnings } = warningsOf(policy) as { warnings: readonly object[] };
  expect(warnings).toEqual([expect.objectContaining({ path, ...(suggestion !== undefined && { suggestion }) })]);
});

test.each([
  { source: "every" },
  { source: "evr*" },
  { source: "agent" },
  { source: "sampling" },
  { tool: "every__*" },
  { tool: "ev*__x" },
  { tool: "*__delete" },
  { tool: "order_openclaw" },
  { tool: "app__*" },
  { tool: "sampling__every" },
  { kind: "app", source: "session-1", tool: "notes__add" },
])("%j may match, so there is no warning", (fields) => {
  expect(warningsOf({ rules: [{ ...fields, verdict: "deny" }] })).toMatchObject({ warnings: [] });
});

test("tool names begin with their server's toolPrefix, if it has one", () => {
  const rules = [{ tool: "ev__*", verdict: "deny" }];
  const server = { url: "https://a.example" };
  expect(warningsOf({ rules }, { every: { ...server, toolPrefix: "ev" } })).toMatchObject({ warnings: [] });
  expect(warningsOf({ rules }, { every: { ...server, toolPrefix: "" } })).toMatchObject({ warnings: [] });
  expect(warningsOf({ rules }, { every: server })).toMatchObject({ warnings: [{ path: "policy.rules[0].tool" }] });
});
