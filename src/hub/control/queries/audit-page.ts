import { type AuditLine, parseAuditLine } from "../../../catalog/audit/audit-line.ts";
import { readAuditBackwards } from "../../../catalog/audit/read-audit-backwards.ts";
import { readAuditLines } from "../../../catalog/audit/read-audit.ts";
import { compileGlobs } from "../../../catalog/glob.ts";
import { orAborted, sleep } from "../../../core/wait.ts";
import { hubFiles } from "../../state/hub-files.ts";
import type { FolderContext } from "../contexts.ts";
import type { Input } from "../input.ts";
import type { FoundCall } from "./search-audit.ts";
import type { FolderControl } from "../verbs.ts";
import type { auditQuery } from "../verbs/guard.ts";

type AuditQuery = Input<typeof auditQuery>;

export interface AuditPage {
  readonly lines: readonly FoundCall[];
  /** The position to continue from, as `after`. */
  readonly next: string;
}

/** A client asks again after this time. */
const maxWaitMs = 30_000;
const pollMs = 150;

export async function readAuditPage({ home }: FolderContext, query: AuditQuery): Promise<AuditPage> {
  const file = hubFiles.audit(home);
  const { tool = "*", outcome, limit = 20, after } = query;
  const matchesTool = compileGlobs([tool]);
  const matches = (line: AuditLine): boolean =>
    matchesTool(line.tool) && (outcome === undefined || line.outcome === outcome);
  const deadline = performance.now() + Math.min(query.waitMs ?? 0, maxWaitMs);
  let page = after === undefined ? await readLatest() : await readAfter(after);
  while (page.lines.length === 0 && performance.now() < deadline) {
    await sleep(Math.min(pollMs, Math.max(0, deadline - performance.now())));
    page = await readAfter(page.next);
  }
  return page;

  /** From the end: an audit may have a million lines. */
  async function readLatest(): Promise<AuditPage> {
    const lines: FoundCall[] = [];
    let next = "";
    for await (const batch of readAuditBackwards(file)) {
      for (const { text, end } of batch) {
        const line = parseAuditLine(text);
        if (line === undefined) continue;
        if (next === "") next = end;
        if (lines.length >= limit) return { lines: lines.toReversed(), next };
        if (matches(line)) lines.push({ id: end, ...line });
      }
    }
    return { lines: lines.toReversed(), next };
  }

  async function readAfter(position: string): Promise<AuditPage> {
    const lines: FoundCall[] = [];
    let next = position;
    for await (const { line, end } of readAuditLines({ file, after: position })) {
      next = end;
      if (matches(line) && lines.push({ id: end, ...line }) >= limit) break;
    }
    return { lines, next };
  }
}

/** Every line after the position, as it is written, until the signal aborts. */
export async function* followAudit(
  audit: FolderControl["audit"],
  query: AuditQuery & { readonly after: string },
  signal: AbortSignal,
): AsyncGenerator<FoundCall> {
  let { after } = query;
  while (!signal.aborted) {
    const page = await orAborted(audit.read({ ...query, after, waitMs: 500, limit: 1000 }), signal).catch(
      unlessAborted,
    );
    for (const line of page?.lines ?? []) yield line;
    after = page?.next ?? after;
  }
  function unlessAborted(error: unknown): undefined {
    if (!signal.aborted) throw error;
  }
}
