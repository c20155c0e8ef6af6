import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApprovalAnswer } from "../../src/catalog/advice.ts";
import type { AuditEntry } from "../../src/catalog/audit/audit-line.ts";
import { noAudit } from "../../src/catalog/audit/audit.ts";
import { createCatalog } from "../../src/catalog/catalog.ts";
import { openApprovals } from "../../src/catalog/guard/approvals.ts";
import { type ApprovalQuestion, createAskers } from "../../src/catalog/guard/askers.ts";
import { createGuard } from "../../src/catalog/guard/guard.ts";
import { loadScreener } from "../../src/catalog/guard/findings/load-screener.ts";
import { openPins } from "../../src/catalog/guard/pins.ts";
import type { Source } from "../../src/catalog/source.ts";
import type { Policy } from "../../src/core/config/policy-config.ts";
import type { NamedSecret } from "../../src/core/text/shown-text.ts";
import type { Tool, ToolResult } from "../../src/mcp/messages/tool.ts";
import { type ContextParts, testContext, testSource } from "./test-source.ts";

interface GuardSetup {
  readonly policy?: Policy;
  readonly source?: Partial<Source> & { readonly tools?: never };
  readonly tools?: readonly (string | Tool)[];
  readonly folder?: string;
  readonly askTimeoutMs?: number;
  readonly secrets?: readonly NamedSecret[];
}

/** A guard in front of one source, with real state files in a temporary folder and the audit in memory. */
export async function startGuard({
  policy = {},
  source: parts = {},
  tools = ["push"],
  folder,
  askTimeoutMs,
  secrets = [],
}: GuardSetup = {}) {
  await loadScreener();
  const home = folder ?? (await mkdtemp(join(tmpdir(), "guard-")));
  const files = { approvals: join(home, "approvals.json"), pins: join(home, "pins") };
  let now = 1_700_000_000_000;
  const clock = () => now;
  const approvals = openApprovals({ file: files.approvals, clock });
  const pins = openPins({ folder: files.pins, policy, clock });
  const askers = createAskers();
  const entries: AuditEntry[] = [];
  const audit = { ...noAudit, record: (entry: AuditEntry) => void entries.push(entry) };
  const guard = createGuard({ policy, approvals, pins, askers, audit, clock, askTimeoutMs, secrets: () => secrets });
  const source = testSource({ ...parts, tools, id: parts.id ?? "git", prefix: "git" });
  const catalog = createCatalog({ screen: (each) => pins.screen(each) });
  catalog.add(source);
  return {
    home,
    files,
    guard,
    source,
    askers,
    entries,
    pins,
    catalog,
    approvals,
    pass: (ms: number) => (now += ms),
    /** The approvals as another process opens them. */
    command: () => openApprovals({ file: files.approvals, clock }),
    /** Registers a person who gives these answers, one for each question. */
    person(...answers: (ApprovalAnswer | undefined)[]) {
      const questions: ApprovalQuestion[] = [];
      askers.add({
        id: "person",
        kind: "console",
        available: () => true,
        ask: (question) => Promise.resolve(answers[questions.push(question) - 1]),
      });
      return questions;
    },
    call: (name = "git__push", args: unknown = {}, context?: ContextParts) =>
      guard.call(catalog.find(name)!, args, testContext(context)),
    async [Symbol.asyncDispose]() {
      await pins.close();
      if (folder === undefined) await rm(home, { recursive: true, force: true });
    },
  };
}

export const textOf = ({ content }: ToolResult): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join();
