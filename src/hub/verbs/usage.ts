import type { UsageReport, UsageTally } from "../../catalog/usage/usage-report.ts";
import { countText } from "../../core/count-text.ts";
import type { Column, VerbContext, VerbResult } from "./verb.ts";

const mostTools = 20;
const mostNamed = 10;

/** `usage`: what was called how often, and about how many tokens that took. */
export async function runUsage(context: VerbContext, days?: number): Promise<VerbResult> {
  const report = await context.control.usage.read(days);
  return { ok: true, data: report, text: usageText(report, context) };
}

function usageText(report: UsageReport, { table, heading = (text) => text }: VerbContext): string {
  const { from, to, total, servers, tools, callers } = report;
  const part = <Row extends UsageTally>(title: string, rows: readonly Row[], nameOf: (row: Row) => string): string =>
    table?.(rows, [{ title, text: nameOf }, ...tallyColumns]) ?? plainRows(rows, nameOf);
  const [shown, more] = [tools.slice(0, mostTools), Math.max(0, tools.length - mostTools)];
  const parts = [
    `${heading(`${from} to ${to}`)}: ${totalText(total)}`,
    ...(total.calls === 0
      ? []
      : [
          part("SERVER", servers, ({ server }) => server),
          part("TOOL", shown, ({ tool }) => tool) + (more > 0 ? `\n… and ${more} more; --json has them all` : ""),
          part("CALLER", callers.slice(0, mostTools), ({ caller }) => caller),
        ]),
    unusedText(report),
  ];
  return parts.filter((text) => text !== "").join("\n\n");
}

const tallyColumns: readonly Column<UsageTally>[] = [
  { title: "CALLS", text: ({ calls }) => String(calls) },
  { title: "ERRORS", text: ({ errors }) => String(errors), tone: ({ errors }) => (errors > 0 ? "bad" : undefined) },
  { title: "TOKENS IN", text: ({ tokensIn }) => String(tokensIn) },
  { title: "TOKENS OUT", text: ({ tokensOut }) => String(tokensOut) },
  { title: "LEFT OUT", text: ({ tokensKept }) => String(tokensKept), tone: () => "quiet" },
];

function plainRows<Row extends UsageTally>(rows: readonly Row[], nameOf: (row: Row) => string): string {
  return rows
    .map((row) => `${nameOf(row)}: ${countText(row.calls, "call")}, ${row.tokensIn} tokens in, ${row.tokensOut} out`)
    .join("\n");
}

function totalText({ calls, errors, tokensIn, tokensOut, tokensKept }: UsageTally): string {
  if (calls === 0) return "no calls.";
  const failed = errors === 0 ? "" : ` (${errors} failed)`;
  const kept = tokensKept === 0 ? "" : `; ${tokensKept} were kept, and only a preview was sent`;
  return `${countText(calls, "call")}${failed}, an estimated ${tokensIn} tokens in and ${tokensOut} out${kept}.`;
}

function unusedText({ unused }: UsageReport): string {
  const { servers, tools } = unused;
  const lines = [
    ...(servers.length === 0 ? [] : [`Servers never used: ${named(servers)}.`]),
    ...(tools.length === 0
      ? []
      : [
          `Tools never used: ${tools.length}, with definitions of an estimated ${tools.reduce((sum, { tokens }) => sum + tokens, 0)} tokens: ${named(tools.map(({ tool }) => tool))}.`,
        ]),
  ];
  return lines.join("\n");
}

function named(names: readonly string[]): string {
  const rest = names.length - mostNamed;
  return `${names.slice(0, mostNamed).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
