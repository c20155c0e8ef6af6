import { type AuditLine, parseAuditLine } from "../../../catalog/audit/audit-line.ts";
import { readAuditBackwards, readAuditLineAt } from "../../../catalog/audit/read-audit-backwards.ts";
import { endedUnanswered, isRefusal, ranMs } from "../../../catalog/audit/call-words.ts";
import { callerName } from "../../../catalog/caller.ts";
import { compileGlobs } from "../../../catalog/glob.ts";
import { Fault } from "../../../core/fault.ts";
import { sizeText } from "../../../core/text/size-text.ts";
import { hubFiles } from "../../state/hub-files.ts";
import type { FolderContext } from "../contexts.ts";
import type { Input } from "../input.ts";
import type { auditSearch } from "../verbs/guard.ts";

export type AuditSearch = Input<typeof auditSearch>;

export interface FoundCall extends AuditLine {
  /** Names this line while its file is kept. */
  readonly id: string;
}

export interface AuditMatches {
  /** Newest first. */
  readonly lines: readonly FoundCall[];
  /** Where to continue, as `before`; absent if there is nothing left. */
  readonly next?: string | undefined;
  /** How many lines were looked at. */
  readonly searched: number;
}

/** One step of a call, as the audit shows it. */
export interface CallStep {
  readonly step: "arrived" | "judged" | "ran" | "ended";
  readonly at: string;
  readonly text: string;
}

export interface CallDetail {
  readonly line: FoundCall;
  readonly steps: readonly CallStep[];
  /** What was called while it ran, on its behalf. */
  readonly inside: readonly FoundCall[];
}

const maxLines = 1000;
/** How far back the calls of one order are looked for. */
const maxInside = 5000;
const maxTextLength = 200;

/** Newest first, over all files that are kept. Memory is bounded by the limit, not by the size of the audit. */
export async function searchAudit(
  { home }: Pick<FolderContext, "home">,
  query: AuditSearch = {},
): Promise<AuditMatches> {
  const limit = Math.max(1, Math.min(query.limit ?? 100, maxLines));
  const matches = createFilter(query);
  const lines: FoundCall[] = [];
  let searched = 0;
  for await (const batch of readAuditBackwards(hubFiles.audit(home), query.before)) {
    for (const { text, end } of batch) {
      searched++;
      const line = matches(text);
      if (line === undefined) continue;
      // One more than fits shows that there is more.
      if (lines.length === limit) return { lines, next: lines.at(-1)?.id, searched: searched - 1 };
      lines.push({ id: end, ...line });
    }
  }
  return { lines, searched };
}

/** The line if it matches. Most lines are dismissed by their text alone, without being parsed. */
function createFilter({ tool, caller, outcome, text }: AuditSearch): (line: string) => AuditLine | undefined {
  const needle = text?.slice(0, maxTextLength).toLowerCase() ?? "";
  const who = caller?.slice(0, maxTextLength).toLowerCase() ?? "";
  const matchesTool = tool === undefined || tool === "" ? undefined : compileGlobs([tool]);
  const outcomeText = outcome === undefined || outcome === "" ? undefined : `"outcome":${JSON.stringify(outcome)}`;
  return (raw) => {
    if (outcomeText !== undefined && !raw.includes(outcomeText)) return undefined;
    if (needle !== "" && isPlain(needle) && !raw.toLowerCase().includes(needle)) return undefined;
    const line = parseAuditLine(raw);
    if (line === undefined || (outcomeText !== undefined && line.outcome !== outcome)) return undefined;
    if (matchesTool !== undefined && !matchesTool(line.tool)) return undefined;
    if (who !== "" && !`${callerText(line)}\n${callerName(line)}`.toLowerCase().includes(who)) return undefined;
    if (needle !== "" && !fieldsText(line).toLowerCase().includes(needle)) return undefined;
    return line;
  };
}

/** Whether the text is the same in JSON. */
function isPlain(text: string): boolean {
  return JSON.stringify(text) === `"${text}"`;
}

/** All that is known of a caller, to be searched: `mcp-http/phone/Claude Code`. */
function callerText({ door, token, client, sender, agent, server }: AuditLine): string {
  return [door, token, client, sender, agent, server].filter((part) => part !== undefined).join("/");
}

function fieldsText(line: AuditLine): string {
  const { tool, source, verdict, why, outcome, time, arguments: args = "" } = line;
  return [tool, source, verdict, why, outcome, time, args, callerText(line)].join("\n");
}

/** One call, step by step, with what was called on its behalf. */
export async function readCall({ home }: Pick<FolderContext, "home">, id: string): Promise<CallDetail> {
  const file = hubFiles.audit(home);
  const text = await readAuditLineAt(file, id);
  const found = text === undefined ? undefined : parseAuditLine(text);
  if (found === undefined) throw new Fault("not-found", "This call is no longer in the audit.");
  const line = { id, ...found };
  return { line, steps: stepsOf(found), inside: await findInside(file, line) };
}

function stepsOf(line: AuditLine): readonly CallStep[] {
  const { waited = 0, arguments: args } = line;
  const after = (ms: number): string => new Date(Date.parse(line.time) + ms).toISOString();
  const isRun = line.verdict !== "deny" && !isRefusal(line.outcome) && !line.why.endsWith(endedUnanswered);
  const sent = `${sizeText(line.in)}${args === undefined ? "" : `: ${args}`}`;
  const decided = waited === 0 ? "" : `, after ${timeText(waited)}`;
  const took = isRun ? ` after ${timeText(ranMs(line))}` : "";
  return [
    { step: "arrived", at: line.time, text: `${callerName(line)} called ${line.tool} with ${sent}` },
    { step: "judged", at: after(waited), text: `${verdictTexts[line.verdict] ?? line.verdict}: ${line.why}${decided}` },
    ...(isRun ? [{ step: "ran", at: after(waited), text: `ran at ${line.source}` } as const] : []),
    { step: "ended", at: after(line.ms), text: `${line.outcome}${took}, ${sizeText(line.out)}` },
  ];
}

function timeText(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`;
}

const verdictTexts: Readonly<Record<string, string>> = { allow: "allowed", ask: "asked", deny: "denied" };

async function findInside(file: string, call: FoundCall): Promise<readonly FoundCall[]> {
  if (call.agent !== undefined) return [];
  const begun = Date.parse(call.time);
  const inside: FoundCall[] = [];
  let looked = 0;
  for await (const batch of readAuditBackwards(file, call.id)) {
    for (const { text, end } of batch) {
      const line = parseAuditLine(text);
      if (line === undefined) continue;
      if (++looked > maxInside || Date.parse(line.time) + line.ms < begun) return inside.toReversed();
      if (isActingFor(line, call) && Date.parse(line.time) >= begun) inside.push({ id: end, ...line });
    }
  }
  return inside.toReversed();
}

function isActingFor(line: AuditLine, call: AuditLine): boolean {
  if (line.agent === undefined && line.server === undefined) return false;
  return (["door", "token", "client", "sender", "session"] as const).every((field) => line[field] === call[field]);
}
