import type { UsageReport, UsageTally } from "../../../../src/catalog/usage/usage-report.ts";
import { countText, shortCount, visible } from "../../parts/words.tsx";
import { Link, pathTo } from "../../router/route.tsx";
import { usagePath } from "./usage-path.ts";
import { sourceWords } from "./usage-words.ts";

/** What one server, tool or caller did. */
export interface NamedTally extends UsageTally {
  readonly id: string;
  readonly name: string;
  /** The server of a tool. */
  readonly source?: string;
  /** Where more about it is. */
  readonly to: string;
}

export type TallyKind = "servers" | "tools" | "callers";

export function talliesOf(report: UsageReport, kind: TallyKind, days: number): readonly NamedTally[] {
  if (kind === "servers")
    return report.servers.map((row) => ({
      ...row,
      id: row.server,
      name: sourceWords(row.server),
      to: usagePath("tools", days, { source: row.server }),
    }));
  if (kind === "callers")
    return report.callers.map((row) => ({
      ...row,
      id: row.caller,
      name: row.caller,
      to: activityPath("caller", callerFilter(row.caller)),
    }));
  return report.tools.map((row) => ({
    ...row,
    id: `${row.server} ${row.tool}`,
    name: row.tool,
    source: row.server,
    to: activityPath("tool", row.tool),
  }));
}

/** Its calls. What was counted together, such as `(others)`, has no filter. */
function activityPath(filter: string, value: string): string {
  return value.startsWith("(")
    ? pathTo("activity")
    : `${pathTo("activity")}?${new URLSearchParams({ [filter]: value })}`;
}

/** In the audit the client follows the first part, so only that finds the calls of a longer name. */
function callerFilter(caller: string): string {
  return caller.split(", ", 1)[0] ?? caller;
}

/** A name and its four figures: in columns, or in words below it on a narrow screen. */
export function TallyRow({ row, share }: { readonly row: NamedTally; readonly share: number }) {
  return (
    <Link class="item tally" to={row.to}>
      <span class="name clip">{visible(row.name)}</span>
      <span class="tally-figures num">
        <Figure value={row.calls} unit={row.calls === 1 ? "call" : "calls"} />
        <Figure
          value={row.errors}
          unit={row.errors === 1 ? "error" : "errors"}
          tone={row.errors > 0 ? "bad" : "muted"}
        />
        <Figure value={row.tokensIn} unit="in" spoken="estimated tokens in" />
        <Figure value={row.tokensOut} unit="out" spoken="estimated tokens out" />
      </span>
      {share >= 0.005 && (
        <span class="share" aria-hidden="true" style={{ width: `${Math.round(share * 1000) / 10}%` }} />
      )}
    </Link>
  );
}

interface FigureProps {
  readonly value: number;
  /** Shown on a narrow screen, where there are no columns. */
  readonly unit: string;
  readonly spoken?: string;
  readonly tone?: string;
}

function Figure({ value, unit, spoken = unit, tone = "" }: FigureProps) {
  return (
    <span class={`tally-figure ${tone}`} title={`${countText(value)} ${spoken}`}>
      {shortCount(value)}
      <span class="unit" aria-hidden="true">
        {" "}
        {unit}
      </span>
      <span class="hidden"> {spoken},</span>
    </span>
  );
}
