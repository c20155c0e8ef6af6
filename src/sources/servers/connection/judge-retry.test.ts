import { expect, test } from "vitest";
import { Fault, type FaultCode } from "../../../core/fault.ts";
import { RpcFault } from "../../../mcp/messages/json-rpc.ts";
import { newTokenRefused, signInNeeded, widerSignInNeeded } from "../oauth/connection-auth.ts";
import { judgeLinkFailure, judgeRetry, type LinkVerdict, restAfter, type RetryVerdict } from "./judge-retry.ts";

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
  ["unanswered", {}, all, "give-up"],
  ["internal", {}, all, "give-up"],
];

const rows = table.flatMap(([code, detail, tools, verdict]) => tools.map((tool) => ({ code, detail, tool, verdict })));

test.each(rows)("$code $detail of $tool: $verdict", ({ code, detail, tool, verdict }) => {
  const fault = new Fault(code, "it failed", "status" in detail ? { detail } : {});
  expect(judgeRetry(fault, kinds[tool])).toBe(verdict);
});

test("an unexpected error is not repeated", () => {
  expect(judgeRetry(new Error("oops"), { readOnlyHint: true })).toBe("give-up");
  expect(judgeRetry("oops", { readOnlyHint: true })).toBe("give-up");
});

const linkFailures: readonly [string, unknown, LinkVerdict][] = [
  ["an unreachable server", new Fault("unavailable", "cut"), "lost"],
  ["a forgotten session", new Fault("unknown-session", "gone", { detail: { status: 404 } }), "lost"],
  ["a needed sign-in", signInNeeded("files", "Sign in."), "lost"],
  ["a missing scope", widerSignInNeeded("files", "write"), "sound"],
  ["a new token that was refused", newTokenRefused("files"), "doubtful"],
  ["a timeout", new Fault("timeout", "late"), "doubtful"],
  ["a cut answer", new Fault("outcome-unknown", "cut"), "doubtful"],
  ["a status with an unknown outcome", new Fault("outcome-unknown", "no", { detail: { status: 500 } }), "sound"],
  ["a busy server", new Fault("unavailable", "busy", { detail: { status: 503 } }), "sound"],
  ["an error of the tool", new RpcFault({ code: -32602, message: "no" }), "sound"],
  ["a question without an answer", new Fault("unanswered", "no one answered"), "sound"],
  ["an unexpected error", new Error("oops"), "sound"],
];

test.each(linkFailures)("after %s", (_, error, verdict) => {
  expect(judgeLinkFailure(error)).toBe(verdict);
});

test("a server is left alone after three failed attempts, and for as long as it asks, up to ten minutes", () => {
  const busyFor = (retryAfterMs: number) => new Fault("unavailable", "busy", { detail: { status: 503, retryAfterMs } });
  expect([1, 2, 3].map((attempt) => restAfter(new Fault("unavailable", "cut"), attempt))).toEqual([0, 0, 1000]);
  expect([20, 5000, 3_600_000].map((ms) => restAfter(busyFor(ms), 3))).toEqual([1000, 5000, 600_000]);
});
