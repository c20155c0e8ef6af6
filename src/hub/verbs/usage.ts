import type { UsageReport, UsageTally } from "../../catalog/usage/usage-report.ts";
import { numberText } from "../../core/number-text.ts";
import type { Column, VerbContext, VerbResult } from "./verb.ts";

const mostRows = 20;
const mostNamed = 10;

/** `usage`: what was called how often, and about how many tokens that took. */
export async function runUsage(context: VerbContext, days?: number): Promise<VerbResult> {
  const report = await context.control.usage.read(days);
  return { ok: true, data: report, text: usageText(report, context) };
}

function usageText(report: UsageReport, { table, prefix, heading = (text) => text }: VerbContext): string {
  const { from, to, total, servers, tools, callers } = report;
  const columns = total.tokensKept > 0 ? [...tallyColumns, keptColumn] : tallyColumns;
  const part = <Row extends UsageTally>(title: string, rows: readonly Row[], nameOf: (row: Row) => string): string => {
    const shown = rows.slice(0, mostRows);
    const text = table?.(shown, [{ title, text: nameOf }, ...columns]) ?? plainRows(shown, nameOf);
    return rows.length > mostRows
      ? `${text}\n… and ${numberText(rows.length - mostRows)} more; --json has them all`
      : text;
  };
  const time = from === to ? to : `${from} to ${to}`;
  const parts = [
    `${heading(time)}: ${totalText(total)}`,
    ...(total.calls === 0
      ? []
      : [
          part("SERVER", servers, ({ server }) => (server === "-" ? "(no such tool)" : server)),
          part("TOOL", tools, ({ tool }) => tool),
          part("CALLER", callers, ({ caller }) => caller),
        ]),
    unusedText(report, prefix),
  ];
  return parts.filter((text) => text !== "").join("\n\n");
}

const tallyColumns: readonly Column<UsageTally>[] = [
  { title: "CALLS", text: ({ calls }) => numberText(calls), align: "right" },
  {
    title: "ERRORS",
    text: ({ errors }) => numberText(errors),
    tone: ({ errors }) => (errors > 0 ? "bad" : undefined),
    align: "right",
  },
  { title: "TOKENS IN", text: ({ tokensIn }) => numberText(tokensIn), align: "right" },
  { title: "TOKENS OUT", text: ({ tokensOut }) => numberText(tokensOut), align: "right" },
];

const keptColumn: Column<UsageTally> = {
  title: "LEFT OUT",
  text: ({ tokensKept }) => numberText(tokensKept),
  tone: () => "quiet",
  align: "right",
};

function plainRows<Row extends UsageTally>(rows: readonly Row[], nameOf: (row: Row) => string): string {
  return rows
    .map((row) => {
      const tokens = `${numberText(row.tokensIn)} tokens in, ${numberText(row.tokensOut)} out`;
      return `${nameOf(row)}: ${countedText(row.calls, "call")}, ${tokens}`;
    })
    .join("\n");
}

function totalText({ calls, errors, tokensIn, tokensOut, tokensKept }: UsageTally): string {
  if (calls === 0) return "no calls.";
  const failed = errors === 0 ? "" : ` (${numberText(errors)} failed)`;
  const kept = tokensKept === 0 ? "" : `\nPreviews left out ${countedText(tokensKept, "token")}.`;
  return `${countedText(calls, "call")}${failed}.\nEstimated: ${countedText(tokensIn, "token")} in, ${numberText(tokensOut)} out.${kept}`;
}

function unusedText({ unused, listed }: UsageReport, prefix: string): string {
  const { servers, tools } = unused;
  const tokens = tools.reduce((sum, each) => sum + each.tokens, 0);
  const lines = [
    ...(servers.length === 0
      ? []
      : [
          `Servers never used: ${named(servers)}.`,
          ...(prefix === "clawport" ? ["Run `clawport disconnect <server> --disable` to switch one off."] : []),
        ]),
    ...(tools.length === 0
      ? []
      : [
          `Tools never used: ${numberText(tools.length)} of ${numberText(listed.tools)}. Their definitions take an estimated ${numberText(tokens)} of ${countedText(listed.tokens, "token")}.`,
          `The largest: ${named(tools.map(({ tool }) => tool))}.`,
          "Add those you don't need to `catalog.exclude` to hide them.",
        ]),
  ];
  return lines.join("\n");
}

function countedText(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function named(names: readonly string[]): string {
  const rest = names.length - mostNamed;
  return `${names.slice(0, mostNamed).join(", ")}${rest > 0 ? ` and ${numberText(rest)} more` : ""}`;
}
