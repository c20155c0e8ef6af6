import type { UsageReport, UsageTally } from "../../catalog/usage/usage-report.ts";
import { numberText } from "../../core/text/number-text.ts";
import type { Column, PresentationContext, Presented } from "./presentation.ts";

const maxRows = 20;
const maxNamed = 10;

/** `usage`: what was called how often, and about how many tokens that took. */
export async function runUsage(context: PresentationContext, days?: number): Promise<Presented> {
  const report = await context.control.usage.read({ days });
  return { ok: true, data: report, text: usageText(report, context) };
}

function usageText(report: UsageReport, { table, prefix, heading = (text) => text }: PresentationContext): string {
  const { from, to, total, servers, tools, callers } = report;
  const columns = total.tokensKept > 0 ? [...tallyColumns, keptColumn] : tallyColumns;
  const part = <Row extends UsageTally>(title: string, rows: readonly Row[], nameOf: (row: Row) => string): string => {
    const shown = rows.slice(0, maxRows);
    const text = table?.(shown, [{ title, text: nameOf }, ...columns]) ?? plainRows(shown, nameOf);
    return rows.length > maxRows
      ? `${text}\n… and ${numberText(rows.length - maxRows)} more; --json has them all`
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
  const rest = names.length - maxNamed;
  return `${names.slice(0, maxNamed).join(", ")}${rest > 0 ? ` and ${numberText(rest)} more` : ""}`;
}
