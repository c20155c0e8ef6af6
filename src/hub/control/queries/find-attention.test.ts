import { expect, test } from "vitest";
import type { ApprovalsList } from "../approvals.ts";
import { findAttention } from "./find-attention.ts";

const later = "2026-11-16T12:01:00Z";
const earlier = "2026-11-16T11:59:00Z";

type WaitingCall = ApprovalsList["waiting"][number];

function call(id: string, name: string, openUntil?: string): WaitingCall {
  const of = { source: "files", tool: name, caller: { door: "mcp-http", token: "phone" }, hash: "", arguments: "{}" };
  return { ...of, id, name, at: earlier, ...(openUntil === undefined ? {} : { openUntil }) } as WaitingCall;
}

const attentionOf = (
  waiting: readonly WaitingCall[],
  refused: readonly WaitingCall[] = [],
  auditLoss = { lines: 0, isFailing: false },
) =>
  findAttention({
    auditLoss,
    servers: [],
    approvals: { approvals: [], waiting, refused, changed: [] },
    gatewayNode: undefined,
  });

test("a call that waits comes first, then one line for all that were refused because no one answered", () => {
  expect(attentionOf([])).toEqual([]);
  expect(attentionOf([], [call("1", "files__write")])).toEqual([
    { kind: "refused", subject: "1", message: "files__write was refused because no one answered" },
  ]);
  const refused = [call("1", "a__x"), call("2", "a__y", earlier), call("4", "a__w")];
  expect(attentionOf([call("3", "a__z", later)], refused)).toEqual([
    { kind: "approval", subject: "3", message: "a__z wants to run · phone" },
    { kind: "refused", subject: "4", message: "a__w and 2 other calls were refused because no one answered" },
  ]);
});

test("calls of one caller and tool are one entry with their number, and those beyond a few are counted", () => {
  const alike = ["1", "2", "3"].map((id) => call(id, "files__write", later));
  expect(attentionOf(alike)).toEqual([
    { kind: "approval", subject: "1", message: "files__write wants to run 3 times · phone" },
  ]);
  const many = Array.from({ length: 108 }, (_, at) => call(String(at), `files__tool_${at % 9}`, later));
  const found = attentionOf(many);
  expect(found).toHaveLength(6);
  expect(found.at(-1)?.message).toBe("48 more calls of others wait");
});

test("an audit that can't be written, or could not, needs the user", () => {
  expect(attentionOf([], [], { lines: 1, isFailing: false })).toEqual([
    { kind: "audit", subject: "audit", message: "1 call is missing from the audit since the start" },
  ]);
  expect(attentionOf([], [], { lines: 0, isFailing: true })[0]?.message).toBe("the audit can't be written");
});
