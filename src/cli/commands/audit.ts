import type { AuditVerification, ChainBreak, LinePlace } from "../../catalog/audit/verify-audit.ts";
import { isRefusal, ranMs } from "../../catalog/audit/call-words.ts";
import { callerName } from "../../catalog/caller.ts";
import { countText } from "../../core/text/count-text.ts";
import { Fault } from "../../core/fault.ts";
import type { AuditMatches, FoundCall } from "../../hub/control/queries/search-audit.ts";
import { sanitizeLine } from "../../core/text/peer-text.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandGroup, defineCommand } from "../command.ts";
import { localTime } from "../output/style.ts";

const list = defineCommand({
  name: "list",
  summary: "show the calls that were made, and their outcome",
  options: {
    follow: { type: "boolean", short: "f", description: "keep running and show each new call" },
    tool: { type: "string", value: "<glob>", description: "only tools whose name matches, such as files__*" },
    caller: {
      type: "string",
      value: "<part>",
      description: "only callers whose door, token, client or agent has this",
    },
    outcome: { type: "string", value: "<outcome>", description: "only calls with this outcome, such as ok or denied" },
    text: { type: "string", value: "<text>", description: "only calls with this text in any field" },
    before: { type: "string", value: "<id>", description: "only calls before this one, by its id" },
    lines: {
      type: "number",
      short: "n",
      value: "<n>",
      description: "how many of the latest calls to show (default: 20)",
    },
  },
  async run(context) {
    const { createFolderControl } = await import("../../hub/control/folder-control.ts");
    const { followAudit } = await import("../../hub/control/queries/audit-page.ts");
    const { openHomeOf } = await import("../../hub/state/open-home.ts");
    const { follow = false, tool, lines: limit = 20 } = context.options;
    // Not through the hub: the file is here, and following it outlives a restart of the hub.
    const { audit } = createFolderControl(context, await openHomeOf(context));
    const { caller, outcome, text, before } = context.options;
    const isSearch = [caller, outcome, text, before].some((each) => each !== undefined);
    if (isSearch && follow) throw new Fault("usage", "`--follow` goes with `--tool` only.");
    if (isSearch) return search(context, await audit.search({ tool, caller, outcome, text, before, limit }));
    const { lines, next } = await audit.read({ tool, limit });
    const width = toolWidth(lines);
    const print = (line: FoundCall): void => context.answerAsIs(line, lineText(line, context, width));
    if (lines.length > 0 || follow) context.say(headings(context, width));
    lines.forEach(print);
    if (follow) for await (const line of followAudit(audit, { tool, after: next }, context.stopSignal())) print(line);
    else if (lines.length === 0) context.say(tool === undefined ? "No calls yet." : `No calls of ${tool} yet.`);
  },
});

/** Oldest first, as without a filter. */
function search(context: CommandContext, { lines, searched }: AuditMatches): void {
  const width = toolWidth(lines);
  if (lines.length > 0) context.say(headings(context, width));
  for (const line of lines.toReversed()) context.answerAsIs(line, lineText(line, context, width));
  if (lines.length === 0) context.say(`None of the ${searched} calls that are kept matches.`);
}

const show = defineCommand({
  name: "show",
  summary: "show one call, step by step, with what was called on its behalf",
  args: [{ name: "id", description: "its id, as `clawport audit` prints it" }],
  async run(context) {
    const { createFolderControl } = await import("../../hub/control/folder-control.ts");
    const { openHomeOf } = await import("../../hub/state/open-home.ts");
    const { audit } = createFolderControl(context, await openHomeOf(context));
    const detail = await audit.steps({ id: context.args[0] ?? "" });
    const steps = detail.steps.map(({ step, at, text }) => `${localTime(at)}  ${step.padEnd(8)}${sanitizeLine(text)}`);
    const inside = detail.inside.map((line) => `  ${lineText(line, context, toolWidth(detail.inside))}`);
    context.answer(detail, [...steps, ...(inside.length === 0 ? [] : ["", "On its behalf:", ...inside])].join("\n"));
  },
});

const verify = defineCommand({
  name: "verify",
  summary: "check that no line was changed, removed or added since it was written; needs `audit.chain`",
  async run(context) {
    const { verifyAudit } = await import("../../catalog/audit/verify-audit.ts");
    const { hubFiles } = await import("../../hub/state/hub-files.ts");
    const { openHomeOf } = await import("../../hub/state/open-home.ts");
    const found = await verifyAudit(hubFiles.audit(await openHomeOf(context)));
    context.answer(found, verificationText(found, context));
    return found.ok ? 0 : 1;
  },
});

export const command: CommandGroup = {
  name: "audit",
  summary: "show the calls that were made, and their outcome",
  commands: [list, show, verify],
  fallback: "list",
  examples: [
    "clawport audit -n 50",
    "clawport audit --follow --tool 'files__*'",
    "clawport audit --caller phone --outcome denied",
    "clawport audit show 12345-6789",
    "clawport audit --json | jq .tool",
    "clawport audit verify",
  ],
};

const problemTexts: Readonly<Record<ChainBreak["problem"], string>> = {
  changed: "this line was changed",
  missing: "a line before this one was removed or moved",
  added: "this line was added",
};
const maxShown = 20;

function verificationText(found: AuditVerification, { style }: CommandContext): string {
  const { lines, chained, breaks, cuts, last } = found;
  if (lines === 0) return "No calls yet.";
  if (chained === 0)
    return "No line has a hash, so none can be checked. Set `audit.chain` to true in the configuration to add hashes from now on.";
  const parts = [
    ...breaks.slice(0, maxShown).map((each) => `${placeText(each)}: ${style.red(problemTexts[each.problem])}`),
    breaks.length > maxShown && `… and ${breaks.length - maxShown} more`,
    ...cuts.slice(0, maxShown).map((each) => `${placeText(each)}: cut off by a crash; this does not break the chain`),
    found.unchainedAtStart > 0 && `${countText(found.unchainedAtStart, "line")} before the chain without a hash.`,
    found.unchainedAtEnd > 0 && `${countText(found.unchainedAtEnd, "line")} after the chain without a hash.`,
    found.continues && "The chain continues lines that are no longer kept.",
    breaks.length > 0
      ? style.red(`The audit is not as it was written: the chain breaks at ${placeText(breaks[0]!)}.`)
      : `${style.green("The chain is unbroken.")} Checked ${countText(chained, "line")}. The hash of the last one is ${last}.`,
  ];
  return parts.filter((part) => part !== false).join("\n");
}

function placeText({ file, line }: LinePlace): string {
  return `${file}, line ${line}`;
}

const widths = { time: 19, outcome: 12, took: 9, id: 18 };
const toolWidths = { min: 24, max: 60 };

/** As wide as the longest name that is shown, so that the callers stand below each other. */
function toolWidth(lines: readonly FoundCall[]): number {
  const longest = lines.reduce((most, line) => Math.max(most, toolText(line).length), toolWidths.min);
  return Math.min(longest, toolWidths.max);
}

/** Two apps may each have a tool of the same name. */
function toolText({ source, tool }: FoundCall): string {
  return sanitizeLine(source.startsWith("app:") ? `${source} ${tool}` : tool);
}

function headings({ style }: CommandContext, tool: number): string {
  const { time, outcome, took, id } = widths;
  const titles = ["TIME".padEnd(time), "OUTCOME".padEnd(outcome), "WAITED".padStart(took), "RAN".padStart(took)];
  return style.bold([...titles, "ID".padEnd(id), "TOOL".padEnd(tool), "CALLER"].join("  "));
}

function lineText(line: FoundCall, { style }: CommandContext, width: number): string {
  const isRefused = isRefusal(line.outcome);
  const paint = line.outcome === "ok" ? style.green : isRefused ? style.yellow : style.red;
  const caller = callerName(line);
  const args = line.arguments === undefined ? "" : ` ${line.arguments}`;
  return [
    style.dim(localTime(line.time)),
    paint(sanitizeLine(line.outcome).padEnd(widths.outcome)),
    timeText(line.waited).padStart(widths.took),
    timeText(isRefused ? undefined : ranMs(line)).padStart(widths.took),
    style.dim(line.id.padEnd(widths.id)),
    toolText(line).padEnd(width),
    style.dim(sanitizeLine((line.verdict === "allow" ? caller : `${caller}: ${line.why}`) + args)),
  ].join("  ");
}

function timeText(ms: number | undefined): string {
  if (ms === undefined) return "-";
  return ms < 100_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`;
}
