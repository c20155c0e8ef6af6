import { expect, test } from "vitest";
import { Fault, type FaultCode } from "../../../core/fault.ts";
import { judgeRetry, type RetryVerdict } from "./judge-retry.ts";

const kinds = {
  "a tool that says nothing of itself": undefined,
  "a tool that only reads": { readOnlyHint: true },
  "a tool that may run twice": { readOnlyHint: false, idempotentHint: true },
  "a tool that destroys": { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
};

type Kind = keyof typeof kinds;
const careful: readonly Kind[] = ["a tool that says nothing of itself", "a tool that destroys"];
const harmless: readonly Kind[] = ["a tool that only reads", "a tool that may run twice"];
const all: readonly Kind[] = [...careful, ...harmless];

/** What happened to the call, for which tools, and what is done about it. */
const table: readonly [FaultCode, { status?: number }, readonly Kind[], RetryVerdict][] = [
  ["unavailable", {}, all, "repeat"],
  ["unavailable", { status: 429 }, all, "give-up"],
  ["unavailable", { status: 503 }, all, "give-up"],
  ["unknown-session", { status: 404 }, all, "repeat"],
  ["outcome-unknown", {}, careful, "unknown"],
  ["outcome-unknown", {}, harmless, "repeat"],
  ["outcome-unknown", { status: 500 }, careful, "unknown"],
  ["outcome-unknown", { status: 500 }, harmless, "repeat"],
  ["timeout", {}, careful, "unknown"],
  ["timeout", {}, harmless, "give-up"],
  ["too-large", {}, careful, "unknown"],
  ["too-large", {}, harmless, "give-up"],
  ["cancelled", {}, all, "give-up"],
  ["unauthorized", { status: 401 }, all, "give-up"],
  ["denied", { status: 403 }, all, "give-up"],
  ["missing-capability", {}, all, "give-up"],
  ["internal", {}, all, "give-up"],
];

const rows = table.flatMap(([code, detail, tools, verdict]) => tools.map((tool) => ({ code, detail, tool, verdict })));

test.each(rows)("$code $detail of $tool: $verdict", ({ code, detail, tool, verdict }) => {
  const fault = new Fault(code, "it failed", "status" in detail ? { detail } : {});
  expect(judgeRetry(fault, kinds[tool])).toBe(verdict);
});

test("what nobody foresaw is not repeated", () => {
  expect(judgeRetry(new Error("oops"), { readOnlyHint: true })).toBe("give-up");
  expect(judgeRetry("oops", { readOnlyHint: true })).toBe("give-up");
});
