import { type AuditLine, parseAuditLine } from "../../../catalog/audit/audit-line.ts";
import { readAuditBackwards, readAuditLineAt } from "../../../catalog/audit/read-audit-backwards.ts";
import { compileGlobs } from "../../../catalog/glob.ts";
import { Fault } from "../../../core/fault.ts";
import { sizeText } from "../../../core/size-text.ts";
import type { AuditMatches, AuditSearch, CallDetail, CallStep, FoundCall } from "./insight-control.ts";

const mostLines = 1000;
/** How far back the calls of one order are looked for. */
const mostInside = 5000;
const longestText = 200;

/** Newest first, over all files that are kept. Memory is bounded by the limit, not by the size of the audit. */
export async function searchAudit(file: string, query: AuditSearch = {}): Promise<AuditMatches> {
  const limit = Math.max(1, Math.min(query.limit ?? 100, mostLines));
  const matches = createFilter(query);
  const lines: FoundCall[] = [];
  let searched = 0;
  for await (const batch of readAuditBackwards(file, query.before)) {
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
  const needle = text?.slice(0, longestText).toLowerCase() ?? "";
  const who = caller?.slice(0, longestText).toLowerCase() ?? "";
  const matchesTool = tool === undefined || tool === "" ? undefined : compileGlobs([tool]);
  const outcomeText = outcome === undefined || outcome === "" ? undefined : `"outcome":${JSON.stringify(outcome)}`;
  return (raw) => {
    if (outcomeText !== undefined && !raw.includes(outcomeText)) return undefined;
    if (needle !== "" && isPlain(needle) && !raw.toLowerCase().includes(needle)) return undefined;
    const line = parseAuditLine(raw);
    if (line === undefined || (outcomeText !== undefined && line.outcome !== outcome)) return undefined;
    if (matchesTool !== undefined && !matchesTool(line.tool)) return undefined;
    if (who !== "" && !callerText(line).toLowerCase().includes(who)) return undefined;
    if (needle !== "" && !fieldsText(line).toLowerCase().includes(needle)) return undefined;
    return line;
  };
}

/** Whether the text is the same in JSON. */
function isPlain(text: string): boolean {
  return JSON.stringify(text) === `"${text}"`;
}

/** `mcp-http/phone/Claude Code` */
export function callerText({ door, token, client, sender, agent, server }: AuditLine): string {
  return [door, token, client, sender, agent, server].filter((part) => part !== undefined).join("/");
}

function fieldsText(line: AuditLine): string {
  return [line.tool, line.source, line.verdict, line.why, line.outcome, line.time, callerText(line)].join("\n");
}

/** One call, step by step, with what was called on its behalf. */
export async function readCall(file: string, id: string): Promise<CallDetail> {
  const text = await readAuditLineAt(file, id);
  const found = text === undefined ? undefined : parseAuditLine(text);
  if (found === undefined) throw new Fault("not-found", "This call is no longer in the audit.");
  const line = { id, ...found };
  return { line, steps: stepsOf(found), inside: await findInside(file, line) };
}

function stepsOf(line: AuditLine): readonly CallStep[] {
  const ended = new Date(Date.parse(line.time) + line.ms).toISOString();
  const isRun = line.verdict !== "deny" && line.outcome !== "denied" && line.outcome !== "rate-limited";
  return [
    { step: "arrived", at: line.time, text: `${callerText(line)} called ${line.tool} with ${sizeText(line.in)}` },
    { step: "judged", at: line.time, text: `${verdictTexts[line.verdict] ?? line.verdict}: ${line.why}` },
    ...(isRun ? [{ step: "ran", at: line.time, text: `ran at ${line.source}` } as const] : []),
    { step: "ended", at: ended, text: `${line.outcome} after ${Math.round(line.ms)} ms, ${sizeText(line.out)}` },
  ];
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
      if (++looked > mostInside || Date.parse(line.time) + line.ms < begun) return inside.toReversed();
      if (isActingFor(line, call) && Date.parse(line.time) >= begun) inside.push({ id: end, ...line });
    }
  }
  return inside.toReversed();
}

function isActingFor(line: AuditLine, call: AuditLine): boolean {
  if (line.agent === undefined && line.server === undefined) return false;
  return (["door", "token", "client", "sender", "session"] as const).every((field) => line[field] === call[field]);
}
