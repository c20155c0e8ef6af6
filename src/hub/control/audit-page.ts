import type { AuditLine } from "../../catalog/audit/audit-line.ts";
import { readAuditLines } from "../../catalog/audit/read-audit.ts";
import { compileGlobs } from "../../catalog/glob.ts";
import { orAborted, sleep } from "../../core/wait.ts";
import type { AuditControl, AuditPage, AuditQuery } from "./hub-control.ts";
import type { FoundCall } from "./insight/insight-control.ts";

/** A client asks again after this time. */
const longestWaitMs = 30_000;
const pollMs = 150;

export async function readAuditPage(file: string, query: AuditQuery = {}): Promise<AuditPage> {
  const { tool = "*", outcome, limit = 20, after } = query;
  const matchesTool = compileGlobs([tool]);
  const matches = (line: AuditLine): boolean =>
    matchesTool(line.tool) && (outcome === undefined || line.outcome === outcome);
  const deadline = performance.now() + Math.min(query.waitMs ?? 0, longestWaitMs);
  let page = after === undefined ? await readLatest() : await readAfter(after);
  while (page.lines.length === 0 && performance.now() < deadline) {
    await sleep(Math.min(pollMs, Math.max(0, deadline - performance.now())));
    page = await readAfter(page.next);
  }
  return page;

  async function readLatest(): Promise<AuditPage> {
    const lines: FoundCall[] = [];
    let next = "";
    for await (const { line, end } of readAuditLines({ file })) {
      next = end;
      if (matches(line) && lines.push({ id: end, ...line }) > limit) lines.shift();
    }
    return { lines, next };
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
  audit: AuditControl,
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
