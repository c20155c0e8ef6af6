import { expect, test } from "vitest";
import type { ExecApprovalsFile } from "./approvals-file.ts";
import { judgeNarrowing } from "./judge-narrowing.ts";

type Parts = Omit<ExecApprovalsFile, "version">;
const file = (parts: Parts): ExecApprovalsFile => ({ version: 1, ...parts });
const git = { pattern: "/usr/bin/git" };
const bound = { pattern: "/usr/bin/git", argPattern: "^status$" };

test.each<[string, Parts, Parts]>([
  ["nothing", {}, {}],
  ["denying everything", {}, { defaults: { security: "deny" } }],
  ["asking about everything", {}, { defaults: { ask: "always" } }],
  ["dropping an entry", { agents: { main: { allowlist: [git, bound] } } }, { agents: { main: { allowlist: [git] } } }],
  ["dropping an agent's own rights", { agents: { x: { security: "full" } } }, {}],
  [
    "an agent that may less",
    { defaults: { security: "full" } },
    { defaults: { security: "full" }, agents: { x: { security: "deny" } } },
  ],
  ["an entry of all for one", { agents: { "*": { allowlist: [git] } } }, { agents: { x: { allowlist: [git] } } }],
])("%s only tightens", (_, before, after) => {
  expect(judgeNarrowing(file(before), file(after))).toBeUndefined();
});

test.each<[string, Parts, Parts]>([
  ["security", {}, { defaults: { security: "full" } }],
  ["security by removing a default", { defaults: { security: "deny" } }, {}],
  ["ask", {}, { defaults: { ask: "off" } }],
  ["askFallback", {}, { defaults: { askFallback: "full" } }],
  ["autoAllowSkills", {}, { defaults: { autoAllowSkills: true } }],
  ["security of a new agent", {}, { agents: { fresh: { security: "full" } } }],
  ["security of every agent", {}, { agents: { "*": { security: "full" } } }],
  [
    "security by removing an agent's denial",
    { defaults: { security: "full" }, agents: { x: { security: "deny" } } },
    { defaults: { security: "full" } },
  ],
  ["the allowlist", {}, { agents: { main: { allowlist: [git] } } }],
  ["the allowlist of all", { agents: { main: { allowlist: [git] } } }, { agents: { "*": { allowlist: [git] } } }],
  [
    "the allowlist by dropping the arguments",
    { agents: { main: { allowlist: [bound] } } },
    { agents: { main: { allowlist: [git] } } },
  ],
  [
    "the allowlist by dropping the mark of an answer",
    { agents: { main: { allowlist: [{ ...git, source: "allow-always" }] } } },
    { agents: { main: { allowlist: [git] } } },
  ],
  [
    "the allowlist by giving it to another agent",
    { agents: { a: { allowlist: [git] } } },
    { agents: { b: { allowlist: [git] } } },
  ],
  ["mcpTools", {}, { agents: { main: { mcpTools: [{ server: "s", tool: "t" }] } } }],
  ["an agent called __proto__", {}, JSON.parse('{"agents":{"__proto__":{"security":"full"}}}') as Parts],
])("loosening %s is refused", (_, before, after) => {
  expect(judgeNarrowing(file(before), file(after))).toBeDefined();
});
